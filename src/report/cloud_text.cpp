/// `gpuready cloud offers`, `list` and `keys` for people.

#include <algorithm>
#include <cmath>
#include <set>

#include "base/json.hpp"
#include "base/quantity.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "gpuready/cloud.hpp"
#include "report/report.hpp"

namespace gpuready {

namespace {

using base::Align;
using report::Context;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t most_rows = 30, most_notes = 5;

Context context_of(const Style& style) { return {base::Messages::language(style.language), style}; }

std::string printable(const std::string& text) { return base::printable(text); }

/// Whole GiB as cards are sold: 24564 MiB are 24.
std::string gib_text(const Fact<std::int64_t>& bytes) {
  if (!bytes) return "?";
  return base::show_fixed(std::round(static_cast<double>(*bytes) / gib), 0) + " GiB";
}

/// Without the line that all consumer cards share.
std::string gpu_text(const std::string& name) {
  constexpr std::string_view line = "GeForce ";
  const std::string text = printable(name);
  return base::starts_with(text, line) ? text.substr(line.size()) : text;
}

/// Enough of an id to tell machines apart.
std::string short_id(const std::string& id) {
  constexpr std::size_t shown = 12;
  const std::string text = printable(id);
  return text.size() <= shown + 2 ? text : text.substr(0, shown) + "..";
}

/// Cents, and more digits where the price has them: 0.003.
std::string usd_text(const Fact<double>& usd) {
  constexpr double cent = 0.01;
  if (!usd) return "?";
  return base::show_fixed(*usd, *usd != 0 && std::abs(*usd) < 10 * cent ? 3 : 2);
}

/// "US-KS-2 +3": the first of several places.
std::string place_text(const Offer& offer) {
  const std::string all = printable(offer.region);
  if (all.empty()) return "?";
  if (offer.provider == "vast") return all;
  const auto places = base::split(all, ',');
  return places.size() < 2 ? all : places[0] + " +" + std::to_string(places.size() - 1);
}

std::string stock_text(const Context& c, const Offer& offer) {
  if (!offer.available) return "?";
  if (!*offer.available) return c.text("cloud.stock.none");
  return offer.stock.empty() ? c.text("cloud.stock.some") : base::lower(printable(offer.stock));
}

std::vector<std::string> offer_row(const Context& c, const Offer& offer) {
  const std::string arm = offer.cpu_arch == "aarch64" ? " (ARM)" : "";
  const std::string mark = offer.notes.empty() ? "" : "*";
  return {offer.provider,
          std::to_string(offer.gpu_count) + "x " + gpu_text(offer.gpu) + arm + mark,
          gib_text(offer.vram_bytes_per_gpu),
          usd_text(offer.usd_per_hour),
          usd_text(offer.disk_usd_per_hour),
          offer.kind,
          place_text(offer),
          stock_text(c, offer)};
}

std::string notes_text(const Context& c, const std::vector<Offer>& offers, std::size_t shown) {
  std::set<std::string> seen;
  std::string out;
  for (std::size_t i = 0; i < shown; ++i)
    for (const Message& note : offers[i].notes)
      if (const std::string text = c.text(note);
          seen.size() < most_notes && seen.insert(text).second)
        out += base::layout_paragraph("* " + text, c.style.width, 2, 2);
  return out;
}

std::string errors_text(const Context& c, const std::vector<ProviderError>& errors) {
  std::string out;
  for (const ProviderError& error : errors)
    out += base::layout_paragraph(printable(error.message), c.style.width, 2, 2);
  return out;
}

base::JsonWriter english_writer() {
  return base::JsonWriter(
      [](const Message& message) { return base::Messages::language("en").text(message); });
}

/// A writer of its own for each part of a list: one for thousands of offers would look through the
/// sources of all of them again and again.
template <class T>
base::Json member_json(const T& value) {
  if constexpr (base::IsVector<T>::value) {
    base::Json list = base::Json::array();
    for (const auto& item : value) list.push_back(english_writer().write(item));
    return list;
  } else {
    return english_writer().write(value);
  }
}

template <class T>
std::string json_of(const Run& run, const T& part) {
  base::Json json = base::Json::object();
  json["schema"] = run.schema;
  json["tool"] = base::Json{{"version", run.tool.version}};
  json["at"] = run.at;
  T::fields(part, [&](std::string_view name, const auto& field, Unit, std::string_view) {
    json[std::string(name)] = member_json(field);
  });
  return base::dump_json(json, true) + "\n";
}

Rows machine_rows(const Context& c, const RentedList& list) {
  Rows rows{{c.text("cloud.col.whose"), c.text("cloud.col.provider"), c.text("cloud.col.id"),
             c.text("cloud.col.gpu"), c.text("cloud.col.state"), c.text("cloud.col.usd"),
             c.text("cloud.col.ends")}};
  for (const RentedMachine& one : list.machines) {
    const char* whose = one.whose == "ours"             ? "cloud.whose.ours"
                        : one.whose == "other-computer" ? "cloud.whose.other"
                                                        : "cloud.whose.stranger";
    rows.push_back({c.text(whose), one.provider, short_id(one.id),
                    std::to_string(one.gpu_count) + "x " + printable(one.gpu), one.state,
                    usd_text(one.usd_per_hour), one.ends_at.value_or("-")});
  }
  return rows;
}

std::string key_text(const Context& c, const ProviderKey& key) {
  std::string out = report::heading(c, key.provider) + "\n";
  const auto line = [&](const std::string& text) {
    out += base::layout_paragraph(text, c.style.width, 2, 2);
  };
  if (!key.source.empty())
    line(c.text(key.last4.empty() ? "cloud.keys.from-short" : "cloud.keys.from",
                {key.source, key.last4}));
  if (key.works) line(c.text(*key.works ? "cloud.keys.works" : "cloud.keys.refused"));
  if (key.balance_usd) line(c.text("cloud.keys.balance", {base::show_fixed(*key.balance_usd, 2)}));
  for (const ProviderError& error : key.errors) line(printable(error.message));
  for (const AccountKey& ssh : key.ssh_keys)
    line(c.text(
        ssh.ours ? "cloud.keys.ssh-ours" : "cloud.keys.ssh",
        {ssh.name.empty() ? (ssh.comment.empty() ? ssh.id : ssh.comment) : ssh.name, ssh.type}));
  if (key.works.is(true))
    line(c.text(key.ssh_how == "registered" ? "cloud.keys.ssh-registered"
                                            : "cloud.keys.ssh-per-machine"));
  return out;
}

}  // namespace

std::string show_text(const OfferList& list, const Style& style) {
  const Context c = context_of(style);
  std::string out;
  const std::size_t shown =
      style.verbose ? list.offers.size() : std::min(list.offers.size(), most_rows);
  if (!list.offers.empty()) {
    Rows rows{{c.text("cloud.col.provider"), c.text("cloud.col.gpu"), c.text("cloud.col.vram"),
               c.text("cloud.col.usd"), c.text("cloud.col.disk"), c.text("cloud.col.kind"),
               c.text("cloud.col.region"), c.text("cloud.col.stock")}};
    for (std::size_t i = 0; i < shown; ++i) rows.push_back(offer_row(c, list.offers[i]));
    out += base::layout_table(rows,
                              {Align::left, Align::left, Align::right, Align::right, Align::right,
                               Align::left, Align::left, Align::left},
                              style.width);
    out += notes_text(c, list.offers, shown);
    if (shown < list.offers.size())
      out += base::layout_paragraph(
          c.text("cloud.offers.more", {std::to_string(list.offers.size() - shown)}), style.width,
          2);
    out += base::layout_paragraph(c.text("cloud.offers.price"), style.width, 2);
  } else {
    out += base::layout_paragraph(c.text("cloud.offers.none", {std::to_string(list.considered)}),
                                  style.width);
  }
  const std::string errors = errors_text(c, list.errors);
  return errors.empty() ? out : out + "\n" + c.text("cloud.not-asked") + "\n" + errors;
}

std::string show_text(const RentedList& list, const Style& style) {
  const Context c = context_of(style);
  std::string out;
  if (!list.machines.empty())
    out += base::layout_table(machine_rows(c, list),
                              {Align::left, Align::left, Align::left, Align::left, Align::left,
                               Align::right, Align::left},
                              style.width);
  else if (!list.asked.empty())
    out += base::layout_paragraph(c.text("cloud.list.none", {base::join(list.asked, ", ")}),
                                  style.width);
  for (const RentedMachine& one : list.machines)
    if (one.whose == "ours")
      out += one.dead_because.empty()
                 ? "  " + c.text("cloud.list.end", {one.provider, one.id}) + "\n"
                 : base::layout_paragraph(
                       c.text("cloud.list.dead", {one.provider + ":" + one.id, one.dead_because}),
                       style.width, 2, 2);
  for (const UnlistedMachine& one : list.unlisted)
    out += base::layout_paragraph(
        c.text(one.provider_answered ? "cloud.list.unlisted" : "cloud.list.not-known",
               {one.provider, one.id.empty() ? one.token : one.id}),
        style.width, 2, 2);
  const std::string errors = errors_text(c, list.errors);
  if (!errors.empty()) out += "\n" + c.text("cloud.list.unknown") + "\n" + errors;
  return out;
}

std::string show_text(const KeyList& list, const Style& style) {
  const Context c = context_of(style);
  std::string out;
  for (const ProviderKey& key : list.keys) out += (out.empty() ? "" : "\n") + key_text(c, key);
  return out;
}

std::string show_json(const Run& run, const OfferList& list) { return json_of(run, list); }
std::string show_json(const Run& run, const RentedList& list) { return json_of(run, list); }
std::string show_json(const Run& run, const KeyList& list) { return json_of(run, list); }

}  // namespace gpuready
