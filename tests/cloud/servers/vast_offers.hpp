#pragma once
/// The marketplace's offers and its search language.

#include <string>
#include <vector>

#include "tests/cloud/servers/world.hpp"

namespace gpuready::cloud::servers {

/// So many offers, the same in every run. Ids count from 1000.
std::vector<Json> make_offers(std::int64_t count);

/// Whether the offer passes every {field: {operator: value}} of the query.
bool passes(const Json& offer, const Json& query);

/// The offer priced with this much disk.
Json priced(Json offer, double disk_gb);

}  // namespace gpuready::cloud::servers
