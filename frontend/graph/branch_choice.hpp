// Chooses branches of Ifs whose branches differ in rank. OpenVINO has no values of dynamic rank, but often
// only one of the branches can succeed, because a later node requires a certain rank.
//
// Each branch is tried. If the model with one branch in place of the If has a node that fails whenever the If
// runs, the other branch is chosen. If both branches or neither can succeed, the If is an error.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace onnx2ir::frontend {

/// Keyed by GraphTranslator::unique_path(); true means the then_branch.
using BranchChoices = std::map<std::string, bool, std::less<>>;

/// The result of translating the model with some choices.
struct BranchTrial {
  bool succeeded = false;
  /// The next If to choose a branch of, and the graph that contains it; both empty if no If is left.
  std::string open_if;
  std::string open_path;
  std::vector<std::string> certain_failures;  ///< the graphs with nodes that fail in each run
};

/// The choices that are certain and with which the model can be translated; empty if no choice is certain.
/// `first` is the trial without choices.
BranchChoices choose_branches(const BranchTrial& first,
                              const std::function<BranchTrial(const BranchChoices&)>& attempt);

}  // namespace onnx2ir::frontend
