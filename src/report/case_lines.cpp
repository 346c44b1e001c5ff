#include "base/format.hpp"
#include "base/json.hpp"
#include "base/messages.hpp"
#include "base/text.hpp"
#include "gpuready/gpuready.hpp"

namespace gpuready {

namespace {

/// A cell as RFC 4180 wants it.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string number(double value) { return base::format("{}", value); }

std::string maybe(const Fact<double>& fact) { return fact ? number(*fact) : std::string(); }
std::string maybe(const Fact<std::string>& fact) { return fact ? *fact : std::string(); }

}  // namespace

std::string show_csv(const Run& run) {
  std::string out =
      "at,device,device_name,backend,library_version,kernel_target,m,n,k,dtype,data,threads,"
      "median_s,ci95_low_s,ci95_high_s,samples,flops,with_transfers_s,first_load_s,"
      "first_product_s,error,tolerance,passed,flags\n";
  for (const Case& c : run.bench.cases) {
    const std::vector<std::string> cells{run.at,
                                         c.device,
                                         c.device_name,
                                         c.backend,
                                         maybe(c.library.version),
                                         maybe(c.library.kernel_target),
                                         std::to_string(c.shape.m),
                                         std::to_string(c.shape.n),
                                         std::to_string(c.shape.k),
                                         c.dtype.name,
                                         c.data,
                                         std::to_string(c.threads),
                                         number(c.median_s),
                                         number(c.ci95_s.low),
                                         number(c.ci95_s.high),
                                         std::to_string(c.samples),
                                         number(c.flops),
                                         maybe(c.with_transfers_s),
                                         maybe(c.first_call.load_s),
                                         maybe(c.first_call.first_product_s),
                                         number(c.verification.error),
                                         number(c.verification.tolerance),
                                         c.verification.passed ? "true" : "false",
                                         base::join(c.flags, " ")};
    for (std::size_t i = 0; i < cells.size(); ++i)
      out += cell(cells[i]) + (i + 1 < cells.size() ? "," : "\n");
  }
  return out;
}

std::string show_json_line(const Run& run, const Case& measured) {
  base::JsonWriter writer(
      [](const Message& message) { return base::Messages::language("en").text(message); });
  base::Json json = base::Json::object();
  json["schema"] = "gpuready.bench-case/1";
  json["tool"] = base::Json{{"version", run.tool.version}};
  json["at"] = run.at;
  writer.add_fields(measured, json);
  return base::dump_json(json, false) + "\n";
}

}  // namespace gpuready
