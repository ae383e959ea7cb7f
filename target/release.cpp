#include "target/release.hpp"

#include <algorithm>
#include <charconv>

namespace onnx2ir::target {
namespace {

/// Removes a number of one to four digits from the start of `text`.
std::optional<int> take_number(std::string_view& text) {
  constexpr std::size_t kMaxDigits = 4;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > kMaxDigits) return std::nullopt;
  int number = 0;
  std::from_chars(text.data(), text.data() + digits, number);
  text.remove_prefix(digits);
  return number;
}

/// Removes `part` from the start of `text`; false if `text` does not start with it.
bool take(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
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
  const auto year = take_number(text);
  if (!year || !take(text, ".")) return std::nullopt;
  const auto minor = take_number(text);
  if (!minor) return std::nullopt;
  if (!text.empty() && (!take(text, ".") || !take_number(text) || !text.empty())) return std::nullopt;
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
