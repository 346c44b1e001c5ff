#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "host/kernel_lines.hpp"
#include "probe/probe.hpp"
#include "probe/read.hpp"

namespace gpuready::probe {

namespace {

using Kind = KernelEventKind;

/// Kernels keep at most a few MiB; the newest events of a flood are enough.
constexpr std::size_t max_log_bytes = std::size_t{16} << 20U, max_events = 200;

struct Record {
  std::optional<double> time_s;
  std::string text;
};

std::optional<double> seconds_in(std::string_view text) {
  return base::to_number(base::trim(text));
}

/// What one message said on several lines, on one. NVIDIA's module starts each of them anew with
/// "NVRM: "; /dev/kmsg writes a line break as \x0a, rsyslog as #012.
std::string on_one_line(std::string_view text) {
  constexpr std::array<std::string_view, 4> marks{"\\x0aNVRM: ", "#012NVRM: ", "\\x0a", "#012"};
  std::string out;
  while (!text.empty()) {
    const auto mark = std::ranges::find_if(
        marks, [&](std::string_view known) { return base::starts_with(text, known); });
    out += mark == marks.end() ? text.front() : ' ';
    text.remove_prefix(mark == marks.end() ? 1 : mark->size());
  }
  return out;
}

/// "[    5.140900] text" of dmesg; after a syslog's or journal's head ("Dec 01 10:00:00 host
/// kernel: "), too. A time of day in the brackets does not count from the start.
Record from_dmesg(std::string_view line) {
  constexpr std::string_view mark = "kernel: ";
  Record record;
  const std::size_t at = line.find(mark);
  if (at != std::string_view::npos && line.substr(0, at).find("NVRM") == std::string_view::npos) {
    if (line.front() == '[') record.time_s = seconds_in(line.substr(1, line.find(']') - 1));
    line.remove_prefix(at + mark.size());
  }
  const std::size_t close = line.find(']');
  if (!line.empty() && line.front() == '[' && close != std::string_view::npos) {
    if (const auto time = seconds_in(line.substr(1, close - 1))) record.time_s = time;
    line.remove_prefix(close + 1);
  }
  record.text = on_one_line(base::trim(line));
  return record;
}

/// "6,339,5140900,-;text" of /dev/kmsg (Linux, ABI/testing/dev-kmsg): priority, number,
/// microseconds, flags; line breaks within the text stand as \x0a. Recordings may hold dmesg's
/// lines instead.
Record from_kmsg(std::string_view line) {
  const std::size_t semicolon = line.find(';');
  if (semicolon == std::string_view::npos) return from_dmesg(line);
  const std::vector<std::string> head = base::split(line.substr(0, semicolon), ',');
  const auto time_us = base::to_integer(head.size() > 2 ? head[2] : "");
  if (!time_us) return from_dmesg(line);
  return {static_cast<double>(*time_us) / 1e6,
          on_one_line(std::string(line.substr(semicolon + 1)))};
}

std::string_view digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
  return text.substr(at, end - at);
}

/// The first "0000:01:00" in the text, with ".0" where it names no function.
std::optional<std::string> address_in(std::string_view text) {
  const auto hex = [&](std::size_t at, std::size_t count) {
    if (at + count > text.size()) return false;
    return std::ranges::all_of(text.substr(at, count), [](char c) {
      return std::isxdigit(static_cast<unsigned char>(c)) != 0;
    });
  };
  for (std::size_t at = 0; at + 10 <= text.size(); ++at) {
    if (!hex(at, 4) || text[at + 4] != ':' || !hex(at + 5, 2) || text[at + 7] != ':') continue;
    if (!hex(at + 8, 2)) continue;
    const bool whole = at + 12 <= text.size() && text[at + 10] == '.';
    return base::lower(text.substr(at, 10)) + (whole ? std::string(text.substr(at + 10, 2)) : ".0");
  }
  return {};
}

/// "NVRM: Xid (PCI:0000:01:00): 79, pid=..., GPU has fallen off the bus."
std::optional<std::int64_t> xid_in(std::string_view text) {
  const std::size_t at = text.find("Xid (");
  // "SXid (PCI:...)" is of an NVSwitch, and numbered otherwise.
  if (at == std::string_view::npos || (at > 0 && text[at - 1] == 'S')) return {};
  const std::size_t close = text.find("): ", at);
  if (close == std::string_view::npos) return {};
  return base::to_integer(digits_at(text, close + 3));
}

Kind kind_of(const std::string& text, bool has_xid) {
  if (has_xid) return Kind::xid;
  if (base::contains(text, "fallen off the bus")) return Kind::bus_loss;
  if (base::contains(text, "NVRM: loading NVIDIA UNIX")) return Kind::driver_load;
  if (base::contains(text, "PM: suspend exit") || base::contains(text, "hibernation exit"))
    return Kind::resume;
  return Kind::message;
}

KernelEvent event_of(Record record, const std::string& source) {
  KernelEvent event;
  const auto xid = xid_in(record.text);
  const auto address = address_in(record.text);
  event.kind = kind_of(record.text, xid.has_value());
  event.time_s = record.time_s
                     ? Fact<double>(*record.time_s, source)
                     : Fact<double>::absent(Absence::unreadable, "the line carries no time");
  event.xid = xid ? Fact<std::int64_t>(*xid, source)
                  : Fact<std::int64_t>::absent(Absence::not_applicable, "the line has no Xid");
  event.pci_address = address ? Fact<std::string>(*address, source)
                              : Fact<std::string>::absent(Absence::not_found, "not in the line");
  event.text = std::move(record.text);
  return event;
}

/// Every reset of a GPU may write hundreds of messages; what is told apart is kept first.
void keep_newest(std::vector<KernelEvent>& events) {
  // The first lines of a log tell the cause, the last ones the state.
  constexpr std::size_t at_each_end = max_events / 4;
  const std::size_t total = events.size();
  std::size_t index = 0, left = total;
  std::erase_if(events, [&](const KernelEvent& event) {
    const bool in_the_middle = index >= at_each_end && index + at_each_end < total;
    ++index;
    const bool drop = left > max_events && in_the_middle && event.kind == Kind::message;
    left -= drop ? 1 : 0;
    return drop;
  });
  if (events.size() > max_events)
    events.erase(events.begin(), events.end() - static_cast<std::ptrdiff_t>(max_events));
}

/// A line that goes on where the one before it broke off: one of NVIDIA's module that names no
/// GPU, after "NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:2684)" and its like.
bool goes_on(const Record& before, const Record& line) {
  constexpr std::string_view mark = "NVRM:";
  if (!base::starts_with(line.text, mark) || !base::contains(before.text, "NVRM: The NVIDIA "))
    return false;
  if (before.text.size() > 600 || base::ends_with(before.text, ".")) return false;
  return !base::contains(line.text, "NVRM: The NVIDIA ") && !base::contains(line.text, "failed!") &&
         !base::contains(line.text, "Xid (") && !base::contains(line.text, "NVRM: GPU");
}

/// Lines that start with a space belong to a record's dictionary, or go on from the line above.
bool starts_a_record(std::string_view line) {
  return !line.empty() && (line[0] != ' ' || base::contains(line, "NVRM:"));
}

template <class Parse>
std::vector<KernelEvent> events_in(const std::string& log, const std::string& source,
                                   const Parse& parse) {
  std::vector<Record> records;
  for (const std::string& line : base::split_lines(host::lines_about_gpus(log))) {
    if (!starts_a_record(line)) continue;
    Record record = parse(line);
    if (!records.empty() && goes_on(records.back(), record))
      records.back().text += " " + std::string(base::trim(record.text.substr(5)));
    else
      records.push_back(std::move(record));
  }
  std::vector<KernelEvent> events;
  for (Record& record : records) events.push_back(event_of(std::move(record), source));
  keep_newest(events);
  return events;
}

/// The journal, which members of some groups may read where /dev/kmsg is closed. Without a right
/// to it, journalctl prints nothing but a hint on standard error, or "-- No entries --".
bool read_journal(host::Host& host, KernelLog& log) {
  if (!exists(host, "/run/log/journal") && !exists(host, "/var/log/journal")) return false;
  const std::string source = "journal";
  host::Command command;
  command.argv = {"journalctl", "-k", "-b", "--no-pager", "-o", "short-monotonic"};
  command.deadline = journal_deadline;
  command.max_output_bytes = max_log_bytes;
  const host::CommandResult result = host.run(command);
  const bool ended_well = result.end == host::End::exited && result.code == 0;
  if (!ended_well || !base::contains(result.output, "kernel: ")) return false;
  log.source = {source, "journalctl -k -b"};
  log.events = events_in(result.output, source, from_dmesg);
  return true;
}

Fact<double> uptime(host::Host& host) {
  const std::string path = "/proc/uptime";
  const Fact<std::string> text = read_fact(host, path);
  if (!text) return text.pass_absence<double>();
  const auto seconds = base::to_number(text->substr(0, text->find(' ')));
  if (!seconds) return Missing{Absence::unreadable, path + ": expected seconds", {}};
  return {*seconds, path};
}

}  // namespace

KernelLog probe_kernel_log(host::Host& host, bool journal_too) {
  const std::string path = host::kernel_log_file;
  KernelLog log;
  log.uptime_s = uptime(host);
  const Result<std::string> text = host.read_file(path, max_log_bytes);
  if (text) {
    log.source = {path, path};
    log.events = events_in(*text, path, from_kmsg);
    return log;
  }
  if (journal_too && read_journal(host, log)) return log;
  Missing why = why_absent(text.error(), path);
  if (journal_too) why.detail += ", and the journal gives nothing";
  log.source = why;
  return log;
}

}  // namespace gpuready::probe
