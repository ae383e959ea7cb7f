#include "frontend/graph/branch_choice.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace onnx2ir::frontend {
namespace {

class BranchSearch {
 public:
  BranchSearch(const TryChoices& attempt, const Occurrences& occurrences)
      : attempt_(attempt), occurrences_(occurrences) {}

  /// Starts from the preferred branches, and changes one choice after the other as long as fewer ranks differ
  /// from the declared ones: one or two attempts for each If, where combine() needs up to 2^n.
  /// `first`: the attempt without choices. Returns the choices if each other branch alone, and all other
  /// branches together, fail or contradict the declared ranks; otherwise no value.
  std::optional<BranchChoices> descend(const BranchTrial& first) {
    Assignment best{first, {}, first.open_ifs};
    for (const OpenIf& open : first.open_ifs) best.choices.emplace(open.node, open.takes_then);
    for (std::size_t i = 0; i < best.ifs.size() && best.ifs.size() <= kMaxIfs; ++i) {
      Assignment other = with_other(best, {best.ifs[i].node});
      if (is_better(other.trial, best.trial)) best = std::move(other);
    }
    if (!best.trial.succeeded || best.ifs.size() > kMaxIfs) return std::nullopt;
    std::vector<Occurrence> all;
    for (const OpenIf& open : best.ifs) {
      if (!is_excluded(best, {open.node}, open.graph)) return std::nullopt;
      all.push_back(open.node);
    }
    if (all.size() > 1 && !is_excluded(best, all, best.ifs.front().graph)) return std::nullopt;
    return std::move(best.choices);
  }

  struct Result {
    bool succeeded = false;
    BranchChoices choices;
    std::vector<Occurrence> certain_failures;
  };

  /// Tries all combinations. A branch is chosen if the other one fails whatever the later choices are.
  /// `trial`: the attempt with `choices`. Adds further choices that are certain, and returns the result.
  Result combine(const BranchTrial& trial, const BranchChoices& choices) {
    // Each If needs an attempt at least; bounds the depth of the recursion, too.
    if (choices.size() > kMaxTrials) return {};
    const auto open = std::ranges::find_if(
        trial.open_ifs, [&](const OpenIf& open_if) { return !choices.contains(open_if.node); });
    if (open == trial.open_ifs.end()) return {trial.succeeded, choices, trial.certain_failures};
    BranchChoices preferred = choices;
    preferred.emplace(open->node, open->takes_then);
    Result taken = combine(trial, preferred);
    BranchChoices changed = choices;
    changed.emplace(open->node, !open->takes_then);
    if (++combinations_ > kMaxTrials) return {};
    Result other = combine(attempt_(changed), changed);
    if (fails_for_certain(taken.certain_failures, open->graph)) return other;
    if (fails_for_certain(other.certain_failures, open->graph)) return taken;
    return {};
  }

 private:
  static constexpr std::size_t kMaxIfs = 200;
  static constexpr std::size_t kMaxTrials = 100;

  /// Whether a graph that runs whenever `graph` runs fails in each run.
  bool fails_for_certain(const std::vector<Occurrence>& failures, Occurrence graph) const {
    return std::ranges::any_of(failures,
                               [&](Occurrence failure) { return occurrences_.contains(failure, graph); });
  }

  struct Assignment {
    BranchTrial trial;
    BranchChoices choices;
    std::vector<OpenIf> ifs;  ///< of the choices, in order
  };

  static bool is_better(const BranchTrial& a, const BranchTrial& b) {
    if (a.succeeded != b.succeeded) return a.succeeded;
    return a.succeeded ? a.wrong_ranks < b.wrong_ranks
                       : a.certain_failures.size() < b.certain_failures.size();
  }

  /// `start` with the other branches of the Ifs `changed`.
  Assignment with_other(const Assignment& start, const std::vector<Occurrence>& changed) {
    Assignment result{{}, start.choices, start.ifs};
    for (const Occurrence node : changed) result.choices[node] = !result.choices[node];
    const auto [known, is_new] = trials_.try_emplace(result.choices);
    if (is_new) known->second = attempt_(result.choices);
    result.trial = known->second;
    for (const OpenIf& open : result.trial.open_ifs) {
      result.choices.emplace(open.node, open.takes_then);
      result.ifs.push_back(open);
    }
    return result;
  }

  bool is_excluded(const Assignment& best, const std::vector<Occurrence>& changed, Occurrence graph) {
    const BranchTrial other = with_other(best, changed).trial;
    // Also if it succeeds: an If around a failing one takes its other branch then.
    if (fails_for_certain(other.certain_failures, graph)) return true;
    return other.succeeded && best.trial.wrong_ranks < other.wrong_ranks;
  }

  const TryChoices& attempt_;
  const Occurrences& occurrences_;
  std::map<BranchChoices, BranchTrial> trials_;  ///< of descend()
  std::size_t combinations_ = 0;
};

}  // namespace

BranchChoices choose_branches(const TryChoices& attempt, const Occurrences& occurrences) {
  const BranchTrial first = attempt({});
  BranchSearch search(attempt, occurrences);
  if (auto choices = search.descend(first)) return *std::move(choices);
  BranchSearch::Result result = search.combine(first, {});
  return result.succeeded ? std::move(result.choices) : BranchChoices{};
}

}  // namespace onnx2ir::frontend
