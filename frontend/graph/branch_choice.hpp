// Chooses branches of Ifs whose branches differ in rank. OpenVINO has no values of dynamic rank, but often
// only one of the branches can succeed, because a later node requires a certain rank, or only one gives the
// ranks that the model declares.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace onnx2ir::frontend {

/// Keyed by GraphTranslator::unique_path(); true means the then_branch.
using BranchChoices = std::map<std::string, bool, std::less<>>;

/// How many tensors do not have the rank that the model declares for them.
struct WrongRanks {
  std::size_t outputs = 0;  ///< of the model
  std::size_t values = 0;   ///< others (value_info, outputs of bodies)

  friend bool operator<(const WrongRanks& a, const WrongRanks& b) {
    return std::tie(a.outputs, a.values) < std::tie(b.outputs, b.values);
  }
};

/// The result of translating the model with some choices.
struct BranchTrial {
  bool succeeded = false;
  /// The next If to choose a branch of, and the graph that contains it; both empty if no If is left.
  std::string open_if;
  std::string open_path;
  bool open_prefers_then = false;             ///< the branch to try first: see BranchesDiffer
  std::vector<std::string> certain_failures;  ///< the graphs with nodes that fail in each run
  WrongRanks wrong_ranks;
};

/// The choices that are certain, or that the declared ranks allow alone; empty if there are none.
/// `first` is the trial without choices.
BranchChoices choose_branches(const BranchTrial& first,
                              const std::function<BranchTrial(const BranchChoices&)>& attempt);

}  // namespace onnx2ir::frontend
