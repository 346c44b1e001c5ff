#include <nlohmann/json.hpp>
#include "bench/runner.hpp"
