#include "frontend/graph/branch_choice.hpp"

#include <algorithm>
#include <string_view>

namespace onnx2ir::frontend {
namespace {

/// Whether the nodes of graph `outer` run whenever those of `inner` run.
bool encloses(std::string_view outer, std::string_view inner) {
  return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '/');
}

class Search {
 public:
  explicit Search(const std::function<BranchTrial(const BranchChoices&)>& attempt) : attempt_(attempt) {}

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
    const auto fails = [&](const Result& result) {
      return std::ranges::any_of(result.certain_failures,
                                 [&](const std::string& path) { return encloses(path, trial.open_path); });
    };
    if (fails(taken[0])) return std::move(taken[1]);
    if (fails(taken[1])) return std::move(taken[0]);
    return {};
  }

 private:
  static constexpr int kMaxTrials = 200;
  const std::function<BranchTrial(const BranchChoices&)>& attempt_;
  int trials_ = 0;
};

}  // namespace

BranchChoices choose_branches(const BranchTrial& first,
                              const std::function<BranchTrial(const BranchChoices&)>& attempt) {
  Search::Result result = Search(attempt).from(first, {});
  return result.succeeded ? std::move(result.choices) : BranchChoices{};
}

}  // namespace onnx2ir::frontend
