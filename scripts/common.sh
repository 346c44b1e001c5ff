# What the scripts share: sourced, never run. Installs what is missing and says so.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc)

say() { printf '%s\n' "$*" >&2; }
# 4, as gpuready's own code for an outside system that failed.
die() { say "error: $*"; exit 4; }

# What the program needs to be built.
build_packages=(g++ cmake ninja-build gettext libfmt-dev libexpected-dev nlohmann-json3-dev
  libcli11-dev python3 python3-venv ca-certificates)
# What the tests need besides: GoogleTest, OpenCL on the CPU, CLBlast, the JSON Schema validator,
# libcurl.
test_packages=(libgtest-dev libgmock-dev ocl-icd-libopencl1 pocl-opencl-icd libclblast1
  libclblast-dev opencl-c-headers python3-jsonschema libopenblas0-pthread libblis4-pthread
  libblis-pthread-dev libdnnl2 libcurl4 libcurl4-openssl-dev binutils git
  clang-format-14 libcpp-httplib-dev openssh-server openssh-client
  lintian dpkg-dev groff-base man-db)
# Wheels, each in a folder of its own below the build folder.
# 0.3.31 is what NumPy 2.4 ships; 0.3.34 was 2 to 3 % slower on fp32 products here (Zen 5, n = 5000).
openblas_wheel='scipy-openblas32==0.3.31.188.0'
# The newest oneDNN that needs no more than GCC's OpenMP library (from 2024 on the wheels need Intel's
# compiler libraries or SYCL). Intel and AMD only.
onednn_wheel='onednn-cpu-gomp==2023.2.0'
onednn_header_wheel='onednn-devel-cpu-gomp==2023.2.0'
mkl_header_wheel='mkl-include==2026.2.0'
zig_wheel='ziglang==0.17.1'
nvml_wheel='nvidia-ml-py==13.615.71'
wheel_wheel='wheel==0.48.0'

release_version() {
  sed -n 's/^project(gpuready VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "installing packages needs root or sudo: $*"
  fi
}

# Of the given packages, those that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
      printf '%s ' "$package"
  done
}

# Installs Debian packages that are missing; says which.
need_packages() {
  command -v dpkg-query >/dev/null || {
    say "this is no Debian or Ubuntu; please see to it that these are installed: $*"
    return 0
  }
  local missing
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  say "installing with apt-get: $missing"
  as_root apt-get update -qq
  # shellcheck disable=SC2086  # one word per package
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    $missing >/dev/null
}

# need_wheel FOLDER REQUIREMENT...: a virtual environment with these wheels, made once.
need_wheel() {
  local folder=$1
  shift
  local mark="$folder/.installed" wanted="$*"
  [ -f "$mark" ] && [ "$(cat "$mark")" = "$wanted" ] && return 0
  say "installing with pip into ${folder#"$root"/}: $wanted"
  rm -rf "$folder"
  /usr/bin/python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check "$@" ||
    die "pip could not install $*; is the package index within reach?"
  printf '%s' "$wanted" >"$mark"
}

# The CPU libraries that gpuready brings along, as a mark of what was installed.
cpu_libraries="$openblas_wheel"
[ "$(uname -m)" = x86_64 ] && cpu_libraries="$openblas_wheel $onednn_wheel"

# put_cpu_libraries FOLDER: the current OpenBLAS and oneDNN, where a binary in FOLDER/../../bin looks
# for them.
put_cpu_libraries() {
  local folder=$1 lib
  [ "$(cat "$folder/.installed" 2>/dev/null)" = "$cpu_libraries" ] && return 0
  need_wheel "$root/build/wheels/openblas" "$openblas_wheel"
  mkdir -p "$folder"
  rm -f "$folder"/*.so*
  for lib in "$root"/build/wheels/openblas/lib/python3*/site-packages/scipy_openblas32/lib/*.so*; do
    cp -L "$lib" "$folder/"
  done
  if [ "$cpu_libraries" != "$openblas_wheel" ]; then
    need_wheel "$root/build/wheels/onednn" "$onednn_wheel"
    cp -L "$root/build/wheels/onednn/lib/libdnnl.so.3" "$folder/"
  fi
  printf '%s' "$cpu_libraries" >"$folder/.installed"
}

# build FOLDER [cmake options]: configures once, builds what changed, quietly unless it fails.
build() {
  local folder=$1
  shift
  mkdir -p "$folder"
  local log="$folder/build.log"
  if [ ! -f "$folder/build.ninja" ]; then
    say "configuring ${folder#"$root"/}"
    cmake -S "$root" -B "$folder" -G Ninja "$@" >"$log" 2>&1 || { cat "$log" >&2; die "cmake failed"; }
    say "building ${folder#"$root"/} with $jobs jobs; some minutes the first time"
  fi
  ninja -C "$folder" -j "$jobs" >"$log" 2>&1 || { grep -E 'error|FAILED|warning' "$log" >&2 || tail -40 "$log" >&2
    die "the build failed; the whole log is $log"; }
}
