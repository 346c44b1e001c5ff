#include "fit/oom.hpp"

#include "gpuready/gpuready.hpp"

namespace gpuready {

Result<Oom> explain_oom(std::string_view log) { return fit::explain_oom(log); }

}  // namespace gpuready
