"""`python -m gpuready` is the gpuready command."""

from gpuready import _main

_main()
