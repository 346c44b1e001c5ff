#pragma once
/// Small reading helpers that the probes share.

#include <string>
#include <vector>

#include "gpuready/fact.hpp"
#include "host/host.hpp"

namespace gpuready::probe {

/// "EACCES"; the number for a code that probes don't meet.
std::string errno_name(int code);
/// The reason of an absence, from a failed read: ENOENT not-found, EACCES and EPERM permission,
/// everything else unreadable.
Missing why_absent(const Error& error, const std::string& path);
/// The trimmed content of a small file, with the file as its source.
Fact<std::string> read_fact(host::Host& host, const std::string& path);
/// The content, or nothing where it can't be read.
std::string read_or_empty(host::Host& host, const std::string& path);
/// Names in a folder; none where it can't be listed.
std::vector<std::string> list_or_empty(host::Host& host, const std::string& folder);
bool exists(host::Host& host, const std::string& path);
/// The path with links resolved, or the path itself where that fails.
std::string resolved(host::Host& host, const std::string& path);
/// The part before the last slash ("/" for "/x", "" where there is no slash), and after it.
std::string folder_of(const std::string& path);
std::string name_of(const std::string& path);
/// The first file of that name in the folders of PATH; empty if there is none.
std::string find_on_path(host::Host& host, const std::string& name);

}  // namespace gpuready::probe
