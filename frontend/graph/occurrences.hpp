// Numbers for the occurrences of nodes and bodies in a conversion. A node of a function, or of the body of an
// unrolled loop, occurs once for each call or iteration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace onnx2ir::frontend {

enum class Occurrence : std::uint32_t {};

/// The same node or body has the same number in all attempts to translate the model.
class Occurrences {
 public:
  /// The main graph.
  static constexpr Occurrence kModel{0};
  static constexpr std::int64_t kNoIteration = -1;

  /// Node `index` of the graph, or of the called function, `outer`.
  Occurrence node(Occurrence outer, std::int64_t index) { return inside(outer, index, kNoIteration); }
  /// The graph in attribute `attribute` (counted from 0) of `node`; for an unrolled loop, in one iteration.
  Occurrence body(Occurrence node, std::int64_t attribute, std::int64_t iteration = kNoIteration) {
    return inside(node, attribute, iteration);
  }

  /// Whether `inner` is `outer` or inside of it.
  bool contains(Occurrence outer, Occurrence inner) const {
    while (inner != outer && inner != kModel) inner = outer_of(inner);
    return inner == outer;
  }

 private:
  Occurrence outer_of(Occurrence inner) const { return outer_[static_cast<std::size_t>(inner)]; }

  Occurrence inside(Occurrence outer, std::int64_t index, std::int64_t iteration) {
    const auto next = static_cast<Occurrence>(outer_.size());
    const auto [found, is_new] = numbers_.try_emplace({outer, index, iteration}, next);
    if (is_new) outer_.push_back(outer);
    return found->second;
  }

  std::map<std::tuple<Occurrence, std::int64_t, std::int64_t>, Occurrence> numbers_;
  std::vector<Occurrence> outer_{kModel};  ///< by number
};

}  // namespace onnx2ir::frontend
