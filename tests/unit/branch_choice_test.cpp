// The choice between branches that differ in rank, with a function in place of a translation.
#include "frontend/graph/branch_choice.hpp"

#include "catch.hpp"

using namespace onnx2ir::frontend;

namespace {

/// A model of Ifs one after the other, and how often it was translated.
struct FakeModel {
  std::int64_t ifs = 50;
  Occurrences occurrences;
  std::int64_t attempts = 0;

  Occurrence node(std::int64_t index) { return occurrences.node(Occurrences::kModel, index); }

  /// Each If prefers its else_branch. `succeeds` tells whether the model can be converted with these
  /// branches.
  /// The then_branches have the declared ranks, if this is set.
  bool declares_then = false;
  /// A model that fails succeeds, because an If around what fails takes its other branch.
  bool hides_failures = false;

  BranchTrial translate(BranchChoices branches, const std::function<bool(const BranchChoices&)>& succeeds) {
    ++attempts;
    BranchTrial trial;
    for (std::int64_t i = 0; i < ifs; ++i) {
      if (branches.emplace(node(i), false).second)
        trial.open_ifs.push_back({node(i), Occurrences::kModel, false});
    }
    if (declares_then)
      trial.wrong_ranks.outputs = std::ranges::count(branches, false, &BranchChoices::value_type::second);
    trial.succeeded = succeeds(branches);
    if (!trial.succeeded) trial.certain_failures.push_back(Occurrences::kModel);
    trial.succeeded = trial.succeeded || hides_failures;
    return trial;
  }

  BranchChoices choose(const std::function<bool(const BranchChoices&)>& succeeds) {
    return choose_branches([&](const BranchChoices& branches) { return translate(branches, succeeds); },
                           occurrences);
  }
};

bool takes_no_then_branch(const BranchChoices& branches) {
  return std::ranges::none_of(branches, [](const auto& choice) { return choice.second; });
}

}  // namespace

TEST_CASE("the preferred branches are chosen with one attempt for each If if no others can succeed") {
  FakeModel model;
  const BranchChoices chosen = model.choose(takes_no_then_branch);
  CHECK(chosen.size() == 50);
  CHECK(model.attempts == 50 + 2);
}

TEST_CASE(
    "no branches are chosen if several combinations can succeed, and the number of attempts is bounded") {
  FakeModel model;
  CHECK(model.choose([](const BranchChoices&) { return true; }).empty());
  CHECK(model.attempts <= 50 + 102);
}

TEST_CASE("if each change of a branch improves the ranks, each branch is tried twice") {
  FakeModel model;
  model.declares_then = true;
  const BranchChoices chosen = model.choose([](const BranchChoices&) { return true; });
  CHECK(chosen.size() == 50);
  CHECK(std::ranges::all_of(chosen, [](const auto& choice) { return choice.second; }));
  // The last change of the first round is its own reversal in the second one.
  CHECK(model.attempts == 50 + 2 + 49);
}

TEST_CASE("more than 200 Ifs get 100 attempts") {
  FakeModel model;
  model.ifs = 201;
  model.declares_then = true;
  CHECK(model.choose([](const BranchChoices&) { return true; }).empty());
  CHECK(model.attempts <= 102);
}

TEST_CASE("thousands of Ifs are given up without a search") {
  FakeModel model;
  model.ifs = 20000;
  CHECK(model.choose([](const BranchChoices&) { return true; }).empty());
  CHECK(model.attempts <= 102);
}

TEST_CASE("a branch that is not preferred is chosen if only it can succeed") {
  FakeModel model;
  const Occurrence third = model.node(2);
  const BranchChoices chosen = model.choose([&](const BranchChoices& branches) {
    return std::ranges::all_of(branches,
                               [&](const auto& choice) { return choice.second == (choice.first == third); });
  });
  REQUIRE(chosen.size() == 50);
  CHECK(chosen.at(third));
  CHECK_FALSE(chosen.at(model.node(0)));
}

TEST_CASE("branches that fail for certain are no alternative, even if an If around them hides the failure") {
  FakeModel model;
  model.hides_failures = true;
  const BranchChoices chosen = model.choose(takes_no_then_branch);
  CHECK(chosen.size() == 50);
  CHECK(model.attempts == 50 + 2);
}
