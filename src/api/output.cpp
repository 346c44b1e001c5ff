#include "base/messages.hpp"
#include "base/quantity.hpp"
#include "gpuready/gpuready.hpp"
#include "report/report.hpp"

namespace gpuready {

std::string show_text(const Run& run, View view, const Style& style) {
  const report::Context context{base::Messages::language(style.language), style};
  switch (view) {
    case View::page:
      return report::page(run, context);
    case View::facts:
      return report::facts(run, context);
    case View::doctor:
      return report::doctor(run, context);
    case View::device:
      return run.device.device + "\n";
    case View::bench:
      return report::bench(run, context);
    case View::lesson:
      return report::lesson(run, context);
    case View::setup:
      return report::setup(run, context);
  }
  return {};
}

std::string show_json(const Run& run, View view) { return report::json(run, view); }

Result<std::int64_t> parse_bytes(std::string_view text) { return base::parse_bytes(text); }

std::string message_text(const Style& style, std::string_view key, std::vector<std::string> args) {
  return base::Messages::language(style.language).text(key, std::move(args));
}

std::string language_for(std::string_view locale) { return base::language_from_locale(locale); }

}  // namespace gpuready
