#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "probe/pci_class.hpp"
#include "probe/probe.hpp"
#include "probe/read.hpp"

namespace gpuready::probe {

namespace {

Fact<std::string> driver_of(host::Host& host, const std::string& folder) {
  const std::string path = folder + "/driver";
  const Result<std::string> link = host.read_link(path);
  if (link) return {name_of(*link), path};
  Missing why = why_absent(link.error(), path);
  if (why.reason == Absence::not_found) why.detail = "no kernel driver is bound to it";
  return why;
}

/// The size of the second region in the PCI function's "resource" (first and last address, flags),
/// which on NVIDIA's GPUs is the window onto their memory.
Fact<std::int64_t> bar1_of(host::Host& host, const std::string& folder) {
  const std::string path = folder + "/resource";
  const Result<std::string> text = host.read_file(path);
  if (!text) return why_absent(text.error(), path);
  const std::vector<std::string> lines = base::split_lines(*text);
  const std::vector<std::string> words =
      lines.size() > 1 ? base::split(lines[1], ' ') : std::vector<std::string>();
  if (words.size() < 2 || !base::starts_with(words[0], "0x") || !base::starts_with(words[1], "0x"))
    return Missing{Absence::unreadable, path + ": expected two addresses in its second line", {}};
  const auto first = base::to_integer(std::string_view(words[0]).substr(2), 16);
  const auto last = base::to_integer(std::string_view(words[1]).substr(2), 16);
  if (!first || !last || *last < *first)
    return Missing{Absence::unreadable, path + ": " + lines[1], {}};
  return {*last == 0 ? 0 : *last - *first + 1, path};
}

/// A device that fell off the bus answers every read of its configuration space with ones (PCI
/// Express Base Specification, "Completion Timeout"). Reading wakes a sleeping device.
Fact<bool> answers(host::Host& host, const std::string& folder, const PciFunction& function) {
  if (function.runtime_status.is("suspended"))
    return Missing{Absence::not_applicable, "asleep, and not woken for this", {}};
  const std::string path = folder + "/config";
  constexpr std::size_t header = 64;  // what every user may read
  const Result<std::string> bytes = host.read_file(path, header);
  if (!bytes) return why_absent(bytes.error(), path);
  if (bytes->size() < 4) return Missing{Absence::unreadable, path + ": expected 64 bytes", {}};
  // In a recording, U+FFFD stands for a byte that is no text; NVIDIA's number has one of them only.
  const bool ones = base::starts_with(*bytes, "\xff\xff") ||
                    base::starts_with(*bytes, "\xef\xbf\xbd\xef\xbf\xbd");
  return {!ones, path};
}

}  // namespace

bool is_gpu(const PciFunction& function) {
  const std::string code = function.class_code.value_or("");
  if (base::starts_with(code, "0x03")) return true;
  const std::string vendor = function.vendor_id.value_or("");
  return base::starts_with(code, "0x1200") && (vendor == pci_nvidia || vendor == pci_amd);
}

bool is_nvswitch(const PciFunction& function) {
  return function.vendor_id.is(std::string(pci_nvidia)) &&
         base::starts_with(function.class_code.value_or(""), "0x0680");
}

namespace {

/// The audio function of one of NVIDIA's GPUs. It tells something only where its GPU, function 0 of
/// the same slot, is gone: then that has no power.
bool is_audio_alone(const PciFunction& function, const std::vector<std::string>& addresses) {
  if (!function.vendor_id.is(std::string(pci_nvidia))) return false;
  const std::string gpu = function.address.substr(0, function.address.rfind('.')) + ".0";
  return std::ranges::find(addresses, gpu) == addresses.end();
}

}  // namespace

void probe_pci(host::Host& host, Machine& machine) {
  const std::string root = "/sys/bus/pci/devices";
  const Result<std::vector<std::string>> names = host.list(root);
  if (!names) {
    machine.pci_count = why_absent(names.error(), root);
    return;
  }
  machine.pci_count = {static_cast<std::int64_t>(names->size()), root};
  for (const std::string& name : *names) {
    const std::string folder = root + "/" + name;
    PciFunction function;
    function.address = name;
    function.class_code = read_fact(host, folder + "/class");
    const std::string code = function.class_code.value_or("");
    const bool interesting = base::starts_with(code, "0x03") || base::starts_with(code, "0x0680") ||
                             base::starts_with(code, "0x1200");
    const bool audio = base::starts_with(code, "0x0403");
    if (!interesting && !audio) continue;
    function.vendor_id = read_fact(host, folder + "/vendor");
    if (audio && !is_audio_alone(function, *names)) continue;
    if (!audio && !is_gpu(function) && !is_nvswitch(function)) continue;
    function.device_id = read_fact(host, folder + "/device");
    function.driver = driver_of(host, folder);
    function.runtime_status = read_fact(host, folder + "/power/runtime_status");
    function.bar1_bytes = Missing{Absence::not_applicable, "only asked of NVIDIA's GPUs", {}};
    function.answers = function.bar1_bytes.pass_absence<bool>();
    if (function.vendor_id.is(std::string(pci_nvidia))) {
      function.bar1_bytes = bar1_of(host, folder);
      function.answers = answers(host, folder, function);
    }
    machine.pci.push_back(std::move(function));
  }
}

bool all_nvidia_gpus_asleep(const std::vector<PciFunction>& pci) {
  const auto nvidia = [](const PciFunction& f) {
    return is_gpu(f) && f.vendor_id.is(std::string(pci_nvidia));
  };
  const auto awake = [&](const PciFunction& f) {
    return nvidia(f) && !f.runtime_status.is("suspended");
  };
  return std::ranges::any_of(pci, nvidia) && std::ranges::none_of(pci, awake);
}

}  // namespace gpuready::probe
