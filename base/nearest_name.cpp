#include "base/nearest_name.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/ascii_case.hpp"

namespace onnx2ir::base {
namespace {

/// The number of insertions, removals, replacements and swaps of neighbours (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower_case(a[i - 1]) == lower_case(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && lower_case(a[i - 1]) == lower_case(b[j - 2]) &&
                           lower_case(a[i - 2]) == lower_case(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string> known) {
  // Names in models can be long and many: the search is limited.
  constexpr std::size_t kLongest = 200;
  constexpr std::size_t kMax = 20'000;
  const auto searched = known.first(std::min(known.size(), kMax));
  for (const std::string& candidate : searched) {
    if (name.size() <= kLongest && lower_case(name) == lower_case(candidate)) return candidate;
  }
  // Any other letter is near to a name of one letter.
  if (name.size() > kLongest || name.size() < 2) return {};
  std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::string_view nearest;
  for (const std::string& candidate : searched) {
    const std::size_t difference =
        candidate.size() > name.size() ? candidate.size() - name.size() : name.size() - candidate.size();
    if (difference >= least) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string suggestion(std::string_view name, std::span<const std::string> known, std::string_view before) {
  const std::string_view nearest = nearest_name(name, known);
  return nearest.empty() ? std::string() : fmt::format("{}did you mean '{}'?", before, nearest);
}

}  // namespace onnx2ir::base
