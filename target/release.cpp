#include "target/release.hpp"

#include <algorithm>

#include "base/number_text.hpp"

namespace onnx2ir::target {
namespace {

/// Removes a number of one to four digits, and a dot after it, from the start of `text`.
std::optional<int> take_number(std::string_view& text) {
  constexpr std::size_t kMaxDigits = 4;
  const std::string_view digits = text.substr(0, text.find('.'));
  text.remove_prefix(std::min(digits.size() + 1, text.size()));
  if (digits.size() > kMaxDigits || digits.starts_with('-')) return std::nullopt;
  return base::parse_number<int>(digits);
}

}  // namespace

std::optional<Release> release_after(Release release) {
  const auto* const next = std::ranges::find_if(kReleases, [&](Release later) { return later > release; });
  return next == std::end(kReleases) ? std::nullopt : std::optional(*next);
}

std::string to_string(Release release) {
  return std::to_string(release.year) + '.' + std::to_string(release.minor);
}

std::string to_string(const ReleaseRange& range) {
  if (range.oldest == range.newest) return to_string(range.oldest);
  return to_string(range.oldest) + ".." + to_string(range.newest);
}

std::optional<Release> parse_release(std::string_view text) {
  if (text.ends_with('.')) return std::nullopt;
  const auto year = take_number(text);
  const auto minor = take_number(text);
  const bool has_patch = text.empty() || take_number(text);
  if (!year || !minor || !has_patch || !text.empty()) return std::nullopt;
  return Release{*year, *minor};
}

std::optional<ReleaseRange> parse_release_range(std::string_view text) {
  constexpr std::string_view kTo = "..";
  const std::size_t separator = text.find(kTo);
  const auto oldest = parse_release(text.substr(0, separator));
  const auto newest =
      separator == std::string_view::npos ? oldest : parse_release(text.substr(separator + kTo.size()));
  if (!oldest || !newest || *oldest > *newest) return std::nullopt;
  if (*oldest < kOldestRelease || *newest > kNewestRelease) return std::nullopt;
  return ReleaseRange{*oldest, *newest};
}

}  // namespace onnx2ir::target
