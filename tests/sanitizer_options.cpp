/// Linked into the program of the sanitizer build. OpenCL's CPU driver and the BLAS libraries keep
/// memory until the process ends; and without /proc, where the options of the environment are read
/// from, the search for leaks itself fails.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
