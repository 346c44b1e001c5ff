#include "bench/runner.hpp"
#include <nlohmann/json.hpp>
