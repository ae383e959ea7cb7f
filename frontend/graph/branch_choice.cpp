#include "frontend/graph/branch_choice.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace onnx2ir::frontend {
namespace {

using Attempt = std::function<BranchTrial(const BranchChoices&)>;

/// Whether the nodes of graph `outer` run whenever those of `inner` run.
bool encloses(std::string_view outer, std::string_view inner) {
  return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '/');
}

bool fails_for_certain(const std::vector<std::string>& certain_failures, std::string_view path) {
  return std::ranges::any_of(certain_failures,
                             [&](const std::string& failure) { return encloses(failure, path); });
}

/// Tries all combinations. A branch is chosen if the other one fails whatever the later choices are.
class Search {
 public:
  explicit Search(const Attempt& attempt) : attempt_(attempt) {}

  struct Result {
    bool succeeded = false;
    BranchChoices choices;
    std::vector<std::string> certain_failures;
  };

  /// Translates with `choices`, then adds further choices that are certain, and returns the result.
  Result from(const BranchTrial& trial, BranchChoices choices) {
    if (trial.open_if.empty()) return {trial.succeeded, std::move(choices), trial.certain_failures};
    Result taken[2];
    for (const bool is_then : {false, true}) {
      BranchChoices more = choices;
      more.emplace(trial.open_if, is_then);
      if (++trials_ > kMaxTrials) return {};
      const BranchTrial next = attempt_(more);
      taken[is_then ? 1 : 0] = from(next, std::move(more));
    }
    if (fails_for_certain(taken[0].certain_failures, trial.open_path)) return std::move(taken[1]);
    if (fails_for_certain(taken[1].certain_failures, trial.open_path)) return std::move(taken[0]);
    return {};
  }

 private:
  static constexpr int kMaxTrials = 200;
  const Attempt& attempt_;
  int trials_ = 0;
};

/// Starts from the preferred branches, and changes one choice after the other as long as fewer ranks differ
/// from the declared ones: two attempts for each If, where Search needs up to 2^n.
class Descent {
 public:
  explicit Descent(const Attempt& attempt) : attempt_(attempt) {}

  /// The choices if each other branch alone, and all other branches together, fail or contradict the
  /// declared ranks; otherwise no value.
  std::optional<BranchChoices> from(const BranchTrial& first) {
    Assignment best = complete(first, {});
    for (std::size_t i = 0; i < best.ifs.size() && i < kMaxIfs; ++i) {
      const std::string changed = best.ifs[i].path;
      Assignment other = with_other(best, {changed});
      if (is_better(other.trial, best.trial)) best = std::move(other);
    }
    if (!best.trial.succeeded || best.ifs.size() > kMaxIfs) return std::nullopt;
    std::vector<std::string> all;
    for (const OpenIf& open : best.ifs) {
      if (!is_excluded(best, {open.path}, open.graph)) return std::nullopt;
      all.push_back(open.path);
    }
    if (all.size() > 1 && !is_excluded(best, all, best.ifs.front().graph)) return std::nullopt;
    return std::move(best.choices);
  }

 private:
  static constexpr std::size_t kMaxIfs = 200;

  struct OpenIf {
    std::string path;
    std::string graph;
  };
  struct Assignment {
    BranchTrial trial;
    BranchChoices choices;
    std::vector<OpenIf> ifs;  ///< in the order of the choices
  };

  static bool is_better(const BranchTrial& a, const BranchTrial& b) {
    if (a.succeeded != b.succeeded) return a.succeeded;
    return a.succeeded ? a.wrong_ranks < b.wrong_ranks
                       : a.certain_failures.size() < b.certain_failures.size();
  }

  /// Adds the preferred branch of each If that is still open.
  Assignment complete(BranchTrial trial, BranchChoices choices) {
    Assignment result{std::move(trial), std::move(choices), {}};
    while (!result.trial.open_if.empty() && result.ifs.size() <= kMaxIfs) {
      result.ifs.push_back({result.trial.open_if, result.trial.open_path});
      result.choices.emplace(result.trial.open_if, result.trial.open_prefers_then);
      result.trial = attempt_(result.choices);
    }
    return result;
  }

  /// `start` with the other branches of the Ifs `changed`.
  Assignment with_other(const Assignment& start, const std::vector<std::string>& changed) {
    BranchChoices choices = start.choices;
    for (const std::string& path : changed) choices[path] = !choices[path];
    BranchTrial trial = attempt_(choices);
    Assignment result = complete(std::move(trial), std::move(choices));
    result.ifs.insert(result.ifs.begin(), start.ifs.begin(), start.ifs.end());
    return result;
  }

  bool is_excluded(const Assignment& best, const std::vector<std::string>& changed, std::string_view graph) {
    const Assignment other = with_other(best, changed);
    if (other.trial.succeeded) return best.trial.wrong_ranks < other.trial.wrong_ranks;
    return fails_for_certain(other.trial.certain_failures, graph);
  }

  const Attempt& attempt_;
};

}  // namespace

BranchChoices choose_branches(const BranchTrial& first, const Attempt& attempt) {
  if (auto choices = Descent(attempt).from(first)) return *std::move(choices);
  Search::Result result = Search(attempt).from(first, {});
  return result.succeeded ? std::move(result.choices) : BranchChoices{};
}

}  // namespace onnx2ir::frontend
