#include "catalog/rule_text.hpp"

#include <algorithm>

#include "base/embedded.hpp"
#include "base/text.hpp"

namespace gpuready::catalog {

namespace {

constexpr std::string_view fix_heading = "## Fix:";
constexpr std::string_view confusion_heading = "## Not to be confused with";
constexpr std::string_view command_indent = "    ";

/// Adds a line to a paragraph; the text is one paragraph, its line breaks are the editor's.
void add_line(std::string& paragraph, std::string_view line) {
  if (base::trim(line).empty()) return;
  if (!paragraph.empty()) paragraph += ' ';
  paragraph += base::trim(line);
}

class Parser {
 public:
  explicit Parser(std::string id) { text_.id = std::move(id); }

  Result<RuleText> parse(std::string_view source) {
    for (const std::string& line : base::split_lines(source)) {
      ++number_;
      take(line);
      if (!fault_.empty()) return failure("line " + std::to_string(number_) + ": " + fault_);
    }
    if (text_.title.empty() || text_.sources.empty() || text_.meaning.empty() || !has_severity_)
      return failure("severity, title, sources and a meaning are expected");
    return std::move(text_);
  }

 private:
  enum class Part { start, front, meaning, confusions, fix };

  void take(const std::string& line) {
    if (line == "---") return take_fence();
    if (part_ == Part::front) return take_front(line);
    if (base::starts_with(line, "## ")) return take_heading(line);
    switch (part_) {
      case Part::meaning:
        return add_line(text_.meaning, line);
      case Part::confusions:
        return add_line(text_.confusions, line);
      case Part::fix:
        return take_fix(line);
      default:
        fault_ = "expected ---";
    }
  }

  void take_fence() {
    if (part_ == Part::start) {
      part_ = Part::front;
    } else if (part_ == Part::front) {
      part_ = Part::meaning;
    } else {
      fault_ = "a third ---";
    }
  }

  void take_front(const std::string& line) {
    const std::size_t colon = line.find(':');
    const std::string name = line.substr(0, colon);
    const std::string value(
        colon == std::string::npos ? "" : base::trim(std::string_view(line).substr(colon + 1)));
    if (name == "severity") {
      take_severity(value);
    } else if (name == "title") {
      text_.title = value;
    } else if (name == "sources") {
      text_.sources = value;
    } else if (name != "english") {
      fault_ = "'" + name + "': expected severity, title or sources";
    }
  }

  void take_severity(const std::string& value) {
    const auto& words = EnumNames<Severity>::list;
    const auto it = std::ranges::find(words, value);
    if (it == words.end()) {
      fault_ = "severity '" + value + "' is not known";
      return;
    }
    text_.severity = static_cast<Severity>(it - words.begin());
    has_severity_ = true;
  }

  void take_heading(const std::string& line) {
    if (line == confusion_heading) {
      part_ = Part::confusions;
    } else if (base::starts_with(line, fix_heading)) {
      part_ = Part::fix;
      RuleFix fix;
      for (const std::string& tag : base::split(line.substr(fix_heading.size()), ' '))
        if (!tag.empty()) fix.tags.push_back(tag);
      if (fix.tags.empty()) fault_ = "a fix without a situation";
      text_.fixes.push_back(std::move(fix));
    } else {
      fault_ = "'" + line + "' is not a known heading";
    }
  }

  void take_fix(const std::string& line) {
    RuleFix& fix = text_.fixes.back();
    if (base::starts_with(line, command_indent)) {
      fix.commands.emplace_back(base::trim(line));
    } else {
      add_line(fix.text, line);
    }
  }

  RuleText text_;
  Part part_ = Part::start;
  bool has_severity_ = false;
  int number_ = 0;
  std::string fault_;
};

}  // namespace

const RuleText& RuleText::in(std::string_view code) const {
  const auto it = std::ranges::find(translations, code, &RuleText::language);
  return it == translations.end() ? *this : *it;
}

Result<RuleText> parse_rule_text(std::string id, std::string_view text) {
  return Parser(std::move(id)).parse(text);
}

}  // namespace gpuready::catalog
