#include "catalog/setup_tables.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace gpuready::catalog {

namespace {

std::int64_t device_id(Cells& cells, const std::string& column) {
  const std::string text = cells.text(column);
  const auto id = base::starts_with(text, "0x")
                      ? base::to_integer(std::string_view(text).substr(2), 16)
                      : std::nullopt;
  if (!id || *id < 0 || *id > 0xffff) cells.wrong(column, "a PCI device id, as 0x1e04");
  return id.value_or(0);
}

VersionNumber version(Cells& cells, const std::string& column) {
  const std::string text = cells.text(column);
  const auto version = VersionNumber::parse(text);
  if (!version || version->text() != text) cells.wrong(column, "a version, as 8.6");
  return version.value_or(VersionNumber{});
}

struct DatedChip {
  Chip chip;
  std::string as_of;
};

DatedChip read_chip(Cells& cells) {
  DatedChip row;
  row.chip.first = device_id(cells, "first"), row.chip.last = device_id(cells, "last");
  row.chip.name = cells.text("chip"), row.chip.generation = cells.text("generation");
  row.chip.sm = version(cells, "sm");
  row.as_of = cells.text("as_of");
  if (row.chip.last < row.chip.first) cells.wrong("last", "an id that is not below the first");
  return row;
}

DistroDriver read_distro_driver(Cells& cells) {
  return {cells.text("distribution"), cells.text("release"), version(cells, "driver")};
}

}  // namespace

Result<SetupTables> load_setup_tables(const Override& replaced) {
  SetupTables tables;
  auto wheels = load_wheel_tables(replaced);
  if (!wheels) return tl::unexpected(wheels.error());
  auto chips = read_table<DatedChip>("nvidia_chips.csv", replaced, read_chip);
  if (!chips) return tl::unexpected(chips.error());
  auto drivers = read_table<DistroDriver>("distro_drivers.csv", replaced, read_distro_driver);
  if (!drivers) return tl::unexpected(drivers.error());
  tables.wheels = std::move(*wheels);
  tables.distro_drivers = std::move(*drivers);
  for (DatedChip& row : *chips) {
    tables.chips.push_back(std::move(row.chip));
    tables.chips_as_of = std::max(tables.chips_as_of, row.as_of);
  }
  return tables;
}

const Chip* find_chip(const SetupTables& tables, std::int64_t device_id) {
  const auto it = std::ranges::find_if(tables.chips, [&](const Chip& chip) {
    return chip.first <= device_id && device_id <= chip.last;
  });
  return it == tables.chips.end() ? nullptr : &*it;
}

const DistroDriver* find_distro_driver(const SetupTables& tables, const std::string& distribution,
                                       const std::string& release) {
  const auto it = std::ranges::find_if(tables.distro_drivers, [&](const DistroDriver& row) {
    return row.distribution == distribution && row.release == release;
  });
  return it == tables.distro_drivers.end() ? nullptr : &*it;
}

}  // namespace gpuready::catalog
