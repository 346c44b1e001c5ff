#pragma once
/// Recognises network addresses, and tells them from version numbers, PCI addresses and times.

#include "host/redact_scan.hpp"

namespace gpuready::host {

/// Six or more pairs of hexadecimal digits between colons or dashes (Ethernet has 6, InfiniBand
/// 20). PCI addresses and times have fewer.
Match match_mac(std::string_view text, std::size_t at);

/// Eight groups, or two at least around a "::". Not the loopback address, and not the "0::/" of a
/// control group.
Match match_ipv6(std::string_view text, std::size_t at);

/// Four numbers of at most 255 without leading zeros. Not 0.0.0.0, 127.x.x.x and 255.255.255.x;
/// and not a version number, which is known by what it is attached to (".so.13.0.0.19",
/// "-12.8.4.1.dist-info"), or by the word in front ("cuDNN 9.10.2.21", a member called "version").
/// In doubt it is an address: a lost version number harms nobody.
Match match_ipv4(std::string_view text, std::size_t at, std::string_view label);

}  // namespace gpuready::host
