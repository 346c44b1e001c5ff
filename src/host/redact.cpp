#include "host/redact.hpp"
