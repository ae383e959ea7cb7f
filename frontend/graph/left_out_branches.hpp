// Which branches of Ifs were left out, for a second translation of the same nodes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "base/scoped_value.hpp"
#include "frontend/graph/occurrences.hpp"

namespace onnx2ir::frontend {

/// If one branch of an If is left out, the other one, which was translated on trial, is translated again in
/// place of the If. Ifs inside of it do not try their branches again, because the number of translations
/// would double with each level.
class LeftOutBranches {
 public:
  struct Decision {
    bool takes_then = false;
    std::string reason;
    std::size_t number = 0;
  };

  /// The number of the next decision.
  std::size_t next_number() const { return next_number_; }
  void add(Occurrence node, bool takes_then, std::string reason) {
    decisions_.insert_or_assign(node, Decision{takes_then, std::move(reason), next_number_++});
  }
  /// Before `node` is tried again: operands of other types may allow both branches.
  void forget(Occurrence node) { decisions_.erase(node); }

  /// What the trial that is translated again decided about `node`; null if it decided nothing about it.
  const Decision* repeated(Occurrence node) const {
    const auto found = decisions_.find(node);
    if (found == decisions_.end()) return nullptr;
    // Not those of the repetition itself: it may translate the body of a Loop again with wider types.
    const std::size_t number = found->second.number;
    return number >= repeated_.first && number < repeated_.end ? &found->second : nullptr;
  }

  /// Numbers of decisions.
  struct Range {
    std::size_t first = 0;
    std::size_t end = 0;
  };
  /// While the result exists, the decisions with the number `first` and the later ones that there are now are
  /// repeated.
  base::ScopedValue<Range> repeat_from(std::size_t first) { return {repeated_, {first, next_number_}}; }

 private:
  std::map<Occurrence, Decision> decisions_;
  std::size_t next_number_ = 0;
  Range repeated_;
};

}  // namespace onnx2ir::frontend
