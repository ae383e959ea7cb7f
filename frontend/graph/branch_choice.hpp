// Ifs whose branches differ in rank: OpenVINO has no values of dynamic rank, but often only one of the
// branches can succeed, because a later node takes only one rank.
//
// Each branch is tried: if the model with one branch in place of the If has a node that fails in each run in
// which the If runs, the other branch is taken. If both or none can succeed, the If is refused.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace onnx2ir::frontend {

/// By GraphTranslator::work_place(): true for the then_branch.
using BranchChoices = std::map<std::string, bool, std::less<>>;

/// How a try to translate the model with some choices ended.
struct BranchTrial {
  bool succeeded = false;
  /// The If to choose a branch of next, and the graph that contains it; both empty if no If is left.
  std::string open_if;
  std::string open_path;
  std::vector<std::string> certain_failures;  ///< the graphs with nodes that fail in each run
};

/// The choices with which the model can be translated, as far as they are certain; empty if no choice is
/// certain. `first` is the trial without choices.
BranchChoices choose_branches(const BranchTrial& first,
                              const std::function<BranchTrial(const BranchChoices&)>& attempt);

}  // namespace onnx2ir::frontend
