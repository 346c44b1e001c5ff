#pragma once
/// The facts of a machine: what probing finds, what PyTorch says, what load shows.

#include "gpuready/gpuready.hpp"
#include "host/host.hpp"
#include "host/recording.hpp"
#include "probe/probe.hpp"

namespace gpuready::api {

probe::ProbeOptions probe_options(host::Host& host);

Machine find_facts(host::Host& host, const FactsRequest& request);

/// The request that a recording can answer.
FactsRequest what_was_asked(const host::Recording& recording);

}  // namespace gpuready::api
