#include <algorithm>

#include "cloud_options.hpp"
#include "exit_codes.hpp"
#include "gpuready/cloud.hpp"
#include "work.hpp"

namespace gpuready::cli {

namespace {

bool is_no_key(const ProviderError& error) { return error.code == "no-key"; }

template <class T>
int answer(const Work& work, const char* name, const T& list, int code) {
  const Run head = work.session.new_run(name);
  return print_answer(work.common.json ? show_json(head, list) : show_text(list, work.style), code);
}

/// Nobody answered: nothing is known. Somebody didn't, and the others have nothing: undecided.
int code_of(const OfferList& list, std::size_t providers) {
  if (list.errors.size() >= providers) return exit_outside_failed;
  const bool some = std::ranges::any_of(
      list.offers, [](const Offer& offer) { return offer.available.value_or(true); });
  if (some) return exit_yes;
  return std::ranges::all_of(list.errors, is_no_key) ? exit_no : exit_undecided;
}

/// A provider without a key is a place where nothing was rented from here; any other that didn't
/// answer is unknown.
int code_of(const RentedList& list, bool chosen) {
  if (list.asked.empty()) return exit_outside_failed;
  const bool sure = std::ranges::all_of(list.errors, is_no_key);
  const bool waits = std::ranges::any_of(
      list.unlisted, [](const UnlistedMachine& one) { return !one.provider_answered; });
  return sure && !waits && (!chosen || list.errors.empty()) ? exit_yes : exit_outside_failed;
}

int code_of(const KeyList& list) {
  bool any = false, bad = false, unknown = false;
  for (const ProviderKey& key : list.keys) {
    any = any || key.works.is(true);
    bad = bad || key.works.is(false) ||
          (!key.works && key.source.empty() && !std::ranges::all_of(key.errors, is_no_key));
    unknown = unknown || (!key.works && !key.source.empty());
  }
  if (unknown) return exit_outside_failed;
  return any && !bad ? exit_yes : exit_no;
}

}  // namespace

int run_cloud_offers_command(const Work& work, const CloudOffersOptions& options) {
  auto request = offers_request(options);
  if (!request) return fail(exit_usage, request.error().text);
  request->data_dir = work.common.data_dir;
  if (request->kind == "spot") return fail(exit_usage, message_text(work.style, "cloud.no-spot"));
  const auto list = cloud_offers(*request);
  if (!list) return fail(exit_usage, list.error().text);
  constexpr std::size_t all_providers = 3;
  return answer(
      work, "cloud-offers", *list,
      code_of(*list, options.providers.empty() ? all_providers : options.providers.size()));
}

int run_cloud_list_command(const Work& work, const CloudListOptions& options) {
  CloudRequest request;
  request.providers = options.providers, request.data_dir = work.common.data_dir;
  const auto list = cloud_list(request);
  if (!list) return fail(exit_usage, list.error().text);
  return answer(work, "cloud-list", *list, code_of(*list, !options.providers.empty()));
}

int run_cloud_keys_command(const Work& work, const CloudKeysOptions& options) {
  CloudRequest request;
  request.providers = options.providers, request.data_dir = work.common.data_dir;
  const auto list = cloud_keys(request);
  if (!list) return fail(exit_usage, list.error().text);
  return answer(work, "cloud-keys", *list, code_of(*list));
}

}  // namespace gpuready::cli
