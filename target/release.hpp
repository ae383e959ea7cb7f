// OpenVINO releases and ranges of releases.
#pragma once

#include <compare>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace onnx2ir::target {

/// A release of OpenVINO. A patch release counts as the release it patches: 2025.4.1 is 2025.4.
struct Release {
  int year = 0;
  int minor = 0;

  friend auto operator<=>(const Release&, const Release&) = default;
};

/// All supported releases: those that the tests run on (cmake/runtimes.txt).
inline constexpr Release kReleases[] = {
#include "target/releases.inc"
};
inline constexpr Release kOldestRelease = *std::begin(kReleases);
inline constexpr Release kNewestRelease = *std::rbegin(kReleases);
/// The first supported release after `release`; no value after the newest.
std::optional<Release> release_after(Release release);

/// All releases from `oldest` to `newest`, both included.
struct ReleaseRange {
  Release oldest = kOldestRelease;
  Release newest = kNewestRelease;

  friend bool operator==(const ReleaseRange&, const ReleaseRange&) = default;
};

/// "2025.4".
std::string to_string(Release release);
/// "2025.0..2026.0", or "2025.4" for a range of one release.
std::string to_string(const ReleaseRange& range);

/// Parses "2025.4" or "2025.4.1"; no value for any other text.
std::optional<Release> parse_release(std::string_view text);
/// Parses "2025.4" (a range of one release) or "2025.0..2026.0". No value for any other text, if the first
/// release is newer than the second, or if a release is outside kOldestRelease to kNewestRelease.
std::optional<ReleaseRange> parse_release_range(std::string_view text);

}  // namespace onnx2ir::target
