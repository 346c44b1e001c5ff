#include <algorithm>
#include <numeric>
#include <utility>

#include "base/json.hpp"

namespace gpuready::base {

namespace {

/// Deeper than any file that we read, and far from what the stack holds.
constexpr std::size_t most_levels = 100;
/// Values of one document: a bound for the memory that a stranger's file takes (about 300 MB).
constexpr std::size_t most_values = std::size_t{2} << 20U;

/// Builds the tree as the library's own builder does, but with bounds and in linear time: that one
/// searches an ordered object for each new key. Of members with one name the last one counts.
class Builder : public nlohmann::json_sax<Json> {
 public:
  std::string fault;

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return refuse("binary data"); }
  bool start_object(std::size_t /*count*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*count*/) override { return open(Json::array()); }
  bool key(string_t& name) override {
    // The values of an object stand beside their names, until both are known.
    auto& members = open_.back()->get_ref<Json::object_t&>();
    members.push_back({std::move(name), Json()});
    return true;
  }
  bool end_object() override {
    drop_repeated(open_.back()->get_ref<Json::object_t&>());
    return close();
  }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& e) override {
    return refuse(e.what());
  }

 private:
  bool refuse(std::string why) {
    fault = std::move(why);
    return false;
  }

  /// Where the next value goes.
  Json& place() {
    if (open_.empty()) return root_;
    Json& parent = *open_.back();
    if (parent.is_object()) return parent.get_ref<Json::object_t&>().back().second;
    return parent.get_ref<Json::array_t&>().emplace_back();
  }

  template <class T>
  bool add(T&& value) {
    if (++values_ > most_values) return refuse("more than 2 million values");
    place() = std::forward<T>(value);
    return true;
  }

  bool open(Json container) {
    if (open_.size() >= most_levels) return refuse("nested deeper than 100 levels");
    if (++values_ > most_values) return refuse("more than 2 million values");
    Json& here = place();
    here = std::move(container);
    open_.push_back(&here);
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  static void drop_repeated(Json::object_t& members) {
    auto* const all = members.data();  // the map's own operator[] looks for a name
    std::vector<std::size_t> order(members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto name = [&](std::size_t i) -> const std::string& { return all[i].first; };
    std::ranges::stable_sort(order, [&](auto a, auto b) { return name(a) < name(b); });
    std::vector<bool> keep(members.size(), true);
    bool repeated = false;
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (name(order[i - 1]) != name(order[i])) continue;
      keep[order[i - 1]] = false, repeated = true;
    }
    if (!repeated) return;
    Json::object_t kept;
    for (std::size_t i = 0; i < members.size(); ++i)
      if (keep[i]) kept.push_back({all[i].first, std::move(all[i].second)});
    members = std::move(kept);
  }

  Json root_;
  std::vector<Json*> open_;  // a container stays where it is while its children are added
  std::size_t values_ = 0;
};

}  // namespace

Result<Json> parse_json(std::string_view text) {
  Builder builder;
  if (Json::sax_parse(text, &builder)) return builder.take();
  constexpr std::size_t longest = 200;
  const std::string what = builder.fault.substr(0, longest);
  const std::size_t colon = what.find("] ");
  return failure("not JSON: " + (colon == std::string::npos ? what : what.substr(colon + 2)));
}

}  // namespace gpuready::base
