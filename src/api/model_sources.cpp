#include "api/model_sources.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "base/text.hpp"

namespace gpuready::api {

namespace {

class LocalSource : public fit::ByteSource {
 public:
  LocalSource(host::Host& host, std::string path) : host_(host), path_(std::move(path)) {}

  [[nodiscard]] std::string name() const override { return path_; }
  Result<std::int64_t> size() override {
    const auto status = host_.status(path_);
    if (!status) return tl::unexpected(status.error());
    if (status->kind != host::FileKind::regular)
      return failure(path_ + ": not a regular file, expected one");
    return status->size_bytes;
  }
  Result<std::string> read(std::int64_t offset, std::int64_t count) override {
    return host_.read_part(path_, offset,
                           static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
  }

 private:
  host::Host& host_;
  std::string path_;
};

/// "bytes 0-99/1234" gives 1234.
std::optional<std::int64_t> whole_size(const std::string& content_range) {
  const std::size_t slash = content_range.rfind('/');
  if (slash == std::string::npos) return {};
  const auto size = base::to_integer(content_range.substr(slash + 1));
  return size && *size >= 0 ? size : std::nullopt;
}

class RemoteSource : public fit::ByteSource {
 public:
  RemoteSource(net::Http& http, RemoteFile file) : http_(http), file_(std::move(file)) {}

  [[nodiscard]] std::string name() const override { return file_.shown; }

  Result<std::int64_t> size() override {
    if (!size_) {
      auto first = ask(0, first_bytes);
      if (!first) return tl::unexpected(first.error());
      first_ = std::move(*first);
    }
    return *size_;
  }

  Result<std::string> read(std::int64_t offset, std::int64_t count) override {
    const auto all = size();
    if (!all) return tl::unexpected(all.error());
    const std::int64_t end = std::min(offset + count, *all);
    const auto held = static_cast<std::int64_t>(first_.size());
    if (end <= offset) return std::string();
    if (end <= held)
      return first_.substr(static_cast<std::size_t>(offset),
                           static_cast<std::size_t>(end - offset));
    if (offset >= held) return ask(offset, end - offset);
    auto rest = ask(held, end - held);
    if (!rest) return rest;
    return first_.substr(static_cast<std::size_t>(offset)) + *rest;
  }

 private:
  /// The first request brings the header of most files along with the size.
  static constexpr std::int64_t first_bytes = std::int64_t{256} << 10U;

  Result<std::string> ask(std::int64_t offset, std::int64_t count) {
    net::HttpRequest request = file_.request;
    request.headers.push_back({"Range", base::format("bytes={}-{}", offset, offset + count - 1)});
    // From the start a server without ranges may send the whole, which is right for short files.
    constexpr std::int64_t most_whole = std::int64_t{64} << 20U;
    request.max_bytes = offset == 0 ? std::max(count, most_whole) : count;
    auto response = net::fetch(http_, std::move(request));
    if (!response) return failure(response.error().text, network_fault);
    constexpr int whole = 200, part = 206, beyond = 416;
    if (response->status == beyond && offset == 0) return size_ = 0, std::string();
    if (response->status == whole && offset == 0)
      return size_ = static_cast<std::int64_t>(response->body.size()), std::move(response->body);
    if (response->status != part) return tl::unexpected(file_.explain(*response));
    const auto size = whole_size(response->header("content-range"));
    if (!size) return failure(file_.shown + ": no size in the server's answer", network_fault);
    if (size_ && *size_ != *size)
      return failure(file_.shown + ": changed while it was read", network_fault);
    size_ = size;
    const auto got = static_cast<std::int64_t>(response->body.size());
    if (got != std::min(count, *size - offset))
      return failure(
          base::format("{}: {} bytes of the {} that were asked for", file_.shown, got, count),
          network_fault);
    return std::move(response->body);
  }

  net::Http& http_;
  RemoteFile file_;
  std::string first_;
  std::optional<std::int64_t> size_;
};

}  // namespace

std::unique_ptr<fit::ByteSource> open_local(host::Host& host, std::string path) {
  return std::make_unique<LocalSource>(host, std::move(path));
}

std::unique_ptr<fit::ByteSource> open_remote(net::Http& http, RemoteFile file) {
  return std::make_unique<RemoteSource>(http, std::move(file));
}

}  // namespace gpuready::api
