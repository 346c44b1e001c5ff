/// What providers offer now, for plan: all are asked at the same time.

#include <algorithm>
#include <future>
#include <memory>

#include "api/plan_host.hpp"
#include "cloud/fault.hpp"
#include "cloud/keys.hpp"
#include "net/curl_http.hpp"
#include "net/real_pace.hpp"

namespace gpuready::api {

namespace {

using Offers = cloud::Answer<std::vector<Offer>>;

bool is_wanted(const PlanRequest& request, std::string_view provider) {
  return request.providers.empty() ||
         std::ranges::find(request.providers, provider) != request.providers.end();
}

/// A fault before anything was asked, in the words of one after it.
cloud::Fault refused(std::string why) {
  return {cloud::FaultKind::refused, "", std::move(why), 0, ""};
}

/// All that one provider needs for one question, so that each is asked in a thread of its own.
struct Question {
  const cloud::ProviderRow* row = nullptr;
  std::unique_ptr<net::Http> http;
  std::unique_ptr<net::Pace> pace;
  std::unique_ptr<cloud::Provider> provider;
};

cloud::Answer<Question> prepared(host::Host& host, const cloud::ProviderRow& row,
                                 const std::vector<catalog::Gpu>& gpus) {
  auto key = cloud::find_key(host, row);
  const bool keyless =
      !key && key.error().kind == cloud::FaultKind::no_key && row.lists_offers_without_key;
  if (!key && !keyless) return tl::unexpected(key.error());
  const auto address = cloud::base_url_of(host, row);
  if (!address) return tl::unexpected(refused(address.error().text));
  auto http = net::make_curl_http(host);
  if (!http)
    return tl::unexpected(cloud::Fault{cloud::FaultKind::network, "", http.error().text, 0, ""});
  Question question;
  question.row = &row, question.http = std::move(*http);
  question.pace = net::make_real_pace([] { return false; });
  question.provider = row.make(
      {*question.http, *question.pace, gpus, key ? std::move(key->key) : net::Secret(), *address});
  return question;
}

}  // namespace

void ask_market(host::Host& host, const PlanRequest& request, const std::vector<catalog::Gpu>& gpus,
                plan::Market& market) {
  if (request.offline) return;
  std::vector<Question> questions;
  for (const cloud::ProviderRow& row : cloud::providers()) {
    if (!is_wanted(request, row.name)) continue;
    auto question = prepared(host, row, gpus);
    if (question)
      questions.push_back(std::move(*question));
    else
      market.live.errors.push_back(cloud::to_error(row.name, question.error()));
  }
  std::vector<std::future<Offers>> answers;
  answers.reserve(questions.size());
  for (Question& question : questions)
    answers.push_back(
        std::async(std::launch::async, [&question] { return question.provider->offers({}); }));
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const std::string name(questions[i].row->name);
    Offers offers = answers[i].get();
    if (!offers) {
      market.live.errors.push_back(cloud::to_error(name, offers.error()));
      continue;
    }
    market.asked.push_back(name);
    std::move(offers->begin(), offers->end(), std::back_inserter(market.live.offers));
  }
}

}  // namespace gpuready::api
