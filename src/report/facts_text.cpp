#include "base/json.hpp"
#include "base/quantity.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "report/report.hpp"

namespace gpuready::report {

namespace {

/// Walks the field lists and writes a line per fact, indented by depth.
class FactLines {
 public:
  explicit FactLines(const Context& context) : c_(context) {}

  template <base::HasFields T>
  void add_struct(const T& value) {
    T::fields(value, [&](std::string_view name, const auto& field, Unit unit, std::string_view) {
      add(std::string(name), field, unit);
    });
  }

  [[nodiscard]] const std::string& text() const { return out_; }

 private:
  template <class T>
  void add(const std::string& name, const T& value, Unit unit) {
    if constexpr (base::IsFact<T>::value) {
      if (value) {
        add(name, *value, unit);
      } else {
        line(name, show_missing(c_, value.missing()));
      }
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      line(name, base::join(value, " "));
    } else if constexpr (base::IsVector<T>::value) {
      add_list(name, value, unit);
    } else if constexpr (base::HasFields<T>) {
      line(name, "");
      ++depth_;
      add_struct(value);
      --depth_;
    } else if constexpr (std::is_same_v<T, std::map<std::string, std::string>>) {
      line(name, value.empty() ? c_.text("facts.none") : "");
      ++depth_;
      for (const auto& [key, text] : value) line(key, text);
      --depth_;
    } else {
      line(name, show(value, unit));
    }
  }

  template <class T>
  void add_list(const std::string& name, const std::vector<T>& list, Unit unit) {
    if (list.empty()) line(name, c_.text("facts.none"));
    for (std::size_t i = 0; i < list.size(); ++i)
      add(name + "[" + std::to_string(i) + "]", list[i], unit);
  }

  template <class T>
  std::string show(const T& value, Unit unit) const {
    if constexpr (std::is_same_v<T, bool>) {
      return c_.text(value ? "facts.yes" : "facts.no");
    } else if constexpr (std::is_same_v<T, std::string>) {
      return value;
    } else if constexpr (base::NamedEnum<T>) {
      return std::string(EnumNames<T>::list[static_cast<std::size_t>(value)]);
    } else {
      if (unit == Unit::bytes) return base::show_bytes(static_cast<std::int64_t>(value));
      if (unit == Unit::hertz)
        return base::show_fixed(static_cast<double>(value) / 1e6, 0) + " MHz";
      if (unit == Unit::watts) return base::show_fixed(static_cast<double>(value), 1) + " W";
      if (unit == Unit::celsius) return base::show_fixed(static_cast<double>(value), 0) + " C";
      if constexpr (std::is_floating_point_v<T>) return base::show_fixed(value, 2);
      return std::to_string(value);
    }
  }

  void line(const std::string& name, const std::string& value) {
    out_ += base::layout_paragraph(base::printable(name) + ": " + base::printable(value),
                                   c_.style.width, 2 * depth_, 4);
  }

  const Context& c_;
  std::size_t depth_ = 0;
  std::string out_;
};

}  // namespace

std::string facts(const Run& run, const Context& c) {
  FactLines lines(c);
  lines.add_struct(run.machine);
  return lines.text();
}

}  // namespace gpuready::report
