#include "catalog/wheels.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "catalog/tables.hpp"

namespace gpuready::catalog {

namespace {

/// A version; nothing where the cell is empty.
std::optional<VersionNumber> maybe_version(Cells& cells, const std::string& column) {
  const std::string text = cells.maybe(column);
  if (text.empty()) return {};
  auto version = VersionNumber::parse(text);
  if (!version || version->text() != text) cells.wrong(column, "a version, as 12.8, or nothing");
  return version;
}

VersionNumber version(Cells& cells, const std::string& column) {
  if (cells.text(column).empty()) return {};
  return maybe_version(cells, column).value_or(VersionNumber{});
}

void read_status(Cells& cells, Wheel& wheel) {
  const std::string status = cells.text("status");
  wheel.experimental = status == "experimental";
  wheel.last = status == "last";
  if (!wheel.experimental && !wheel.last && status != "stable")
    cells.wrong("status", "stable, experimental or last");
}

Wheel read_wheel(Cells& cells) {
  Wheel wheel;
  wheel.vendor = cells.text("vendor"), wheel.tag = cells.text("tag");
  wheel.os = cells.text("os"), wheel.arch = cells.text("arch");
  wheel.torch_min = maybe_version(cells, "torch_min");
  wheel.torch_max = maybe_version(cells, "torch_max");
  wheel.python_min = maybe_version(cells, "python_min");
  wheel.python_max = maybe_version(cells, "python_max");
  for (const std::string& target : base::split(cells.maybe("sm_list"), ' '))
    if (!target.empty()) wheel.targets.push_back(target);
  wheel.ptx = maybe_version(cells, "ptx");
  wheel.driver_min = maybe_version(cells, "driver_min");
  wheel.cuda = maybe_version(cells, "cuda");
  wheel.cudnn = cells.maybe("cudnn"), wheel.as_of = cells.text("as_of");
  read_status(cells, wheel);
  if (wheel.vendor == "nvidia" && (!wheel.driver_min || !wheel.cuda))
    cells.wrong("driver_min", "a driver and a CUDA version for NVIDIA");
  return wheel;
}

struct CompatRow {
  std::string kind;
  CudaDriverFloor floor;
  SmSupport sm;
};

CompatRow read_compat(Cells& cells) {
  CompatRow row;
  row.kind = cells.text("kind");
  if (row.kind == "sm") {
    row.sm = {version(cells, "name"), version(cells, "first_toolkit"),
              maybe_version(cells, "last_toolkit"), maybe_version(cells, "driver_last")};
  } else if (row.kind == "major" || row.kind == "toolkit") {
    row.floor = {version(cells, "name"), version(cells, "driver_min")};
  } else {
    cells.wrong("kind", "major, toolkit or sm");
  }
  return row;
}

}  // namespace

Result<WheelTables> load_wheel_tables(const Override& replaced) {
  auto wheels = read_table<Wheel>("torch_wheels.csv", replaced, read_wheel);
  if (!wheels) return tl::unexpected(wheels.error());
  auto compat = read_table<CompatRow>("cuda_compat.csv", replaced, read_compat);
  if (!compat) return tl::unexpected(compat.error());
  WheelTables tables;
  tables.wheels = std::move(*wheels);
  for (CompatRow& row : *compat) {
    if (row.kind == "sm") tables.generations.push_back(std::move(row.sm));
    if (row.kind == "major") tables.majors.push_back(std::move(row.floor));
    if (row.kind == "toolkit") tables.toolkits.push_back(std::move(row.floor));
  }
  for (const Wheel& wheel : tables.wheels) tables.as_of = std::max(tables.as_of, wheel.as_of);
  return tables;
}

const WheelTables& wheel_tables() { return tables().wheels; }

}  // namespace gpuready::catalog
