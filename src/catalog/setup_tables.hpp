#pragma once
/// What `setup` chooses from: builds of PyTorch and toolkits (wheels.hpp), NVIDIA's chips by PCI id
/// (data/nvidia_chips.csv), and the driver that a distribution brings (data/distro_drivers.csv).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/wheels.hpp"

namespace gpuready::catalog {

/// NVIDIA's PCI device ids of one chip (or of a few of one generation), both ends included.
struct Chip {
  std::int64_t first = 0, last = 0;
  std::string name, generation;  ///< "GA100", "Ampere"
  VersionNumber sm;
};

/// The least driver version that the packages of this distribution's release install.
struct DistroDriver {
  std::string distribution, release;  ///< as in os-release: "debian", "12"
  VersionNumber driver;
};

struct SetupTables {
  WheelTables wheels;
  std::vector<Chip> chips;
  std::vector<DistroDriver> distro_drivers;
  std::string chips_as_of;  ///< the youngest date of the table of chips
};

/// The error names the file, the record and the field.
Result<SetupTables> load_setup_tables(const Override& replaced);
/// The chip of a PCI device id; nullptr where the table has none.
const Chip* find_chip(const SetupTables& tables, std::int64_t device_id);
/// nullptr where the table has none.
const DistroDriver* find_distro_driver(const SetupTables& tables, const std::string& distribution,
                                       const std::string& release);

}  // namespace gpuready::catalog
