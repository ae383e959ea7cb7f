// Chooses branches of Ifs whose branches differ in rank, and the ranks of Squeezes without axes. OpenVINO has
// no values of dynamic rank, but often only one of the branches can succeed, because a later node requires a
// certain rank, or only one gives the ranks that the model declares. A Squeeze is taken for an If below.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "frontend/graph/occurrences.hpp"

namespace onnx2ir::frontend {

/// The chosen branch of each If: true is the then_branch. Of a Squeeze: whether it removes unknown sizes.
using BranchChoices = std::map<Occurrence, bool>;

/// An If whose branches differ in rank, for which an attempt has chosen a branch.
struct OpenIf {
  Occurrence node;
  Occurrence graph;  ///< the graph that contains it: either both run, or neither
  bool takes_then;   ///< the branch with the declared rank, otherwise the one with the smaller rank
};

/// The numbers of tensors that do not have the rank that the model declares for them.
struct WrongRanks {
  std::size_t outputs = 0;  ///< of the model
  std::size_t values = 0;   ///< others (value_info, outputs of bodies)

  friend auto operator<=>(const WrongRanks&, const WrongRanks&) = default;
};

/// The result of translating the model with some choices.
struct BranchTrial {
  bool succeeded = false;
  std::vector<OpenIf> open_ifs;              ///< without those of the given choices, in order
  std::vector<Occurrence> certain_failures;  ///< the graphs with nodes that fail in each run
  WrongRanks wrong_ranks;
};

/// Translates the model with the given choices. Other Ifs whose branches differ in rank get the branch that
/// they prefer.
using TryChoices = std::function<BranchTrial(const BranchChoices&)>;

/// The choices for which the model can be converted; empty if there are none, or several that are equally
/// good. A branch is chosen if the other one fails whatever the choices for later Ifs are, or contradicts
/// more of the ranks that the model declares. There are at most 102 attempts, and two for each open If, if
/// there are at most 200 of them.
BranchChoices choose_branches(const TryChoices& attempt, const Occurrences& occurrences);

}  // namespace onnx2ir::frontend
