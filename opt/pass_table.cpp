#include "opt/pass_table.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "passes/pipeline.hpp"
#include "target/faults.hpp"

namespace onnx2ir::opt {
namespace {

constexpr auto kHead = R"(# Passes

All passes in the order they run. Made from `onnx2ir-opt --describe-passes` by `./dev test --update tests/passes`; do not edit.

- **normalize**: makes graphs canonical, so that later passes see fewer forms.
- **optimize**: makes the model faster or smaller.
- **legalize**: works around [faults of OpenVINO](runtime-faults.md). It runs only if a release of the target has one of its faults; those in
  brackets change what it does, but not whether it runs.

To see what a pass does, read its tests in `tests/passes`, or run it alone: `onnx2ir-opt MODEL --pass NAME` ([text-ir.md](text-ir.md)).
[control-flow.md](control-flow.md) gives the reasons for the passes over loops and branches.

"Requires" and "ensures" name properties of the model, which stand below the table.

| pass | kind | what it does | requires | ensures | faults |
|---|---|---|---|---|---|
)";

constexpr auto kWorkarounds = R"(
## Workarounds for single nodes

Each workaround has rows: a fault, the operations that have it, a test whether a node is affected, and a rewrite. A pass applies the rows until
no node is affected; the later ones apply those of the earlier ones as well. After the last pass, a check proves that no node is affected by a
row of the target. The order of the table has no effect. `onnx2ir-opt MODEL --pass NAME` applies one workaround alone.

| workaround | first applied by | what it does | faults |
|---|---|---|---|
)";

constexpr auto kProperties = R"(
## Properties

What a legalisation ensures holds to the end. What another pass ensures holds until a pass changes the model and may break it; the table
lists these passes for properties that a pass requires. Debug builds and `onnx2ir-opt` check before a pass what it requires, and after it what
it ensures and what legalisations before it have ensured. A test checks that each property that a pass requires is ensured by a pass before
it that runs for all targets, and is not broken between them; and that no pass breaks what a legalisation ensures.

| property | meaning | broken by |
|---|---|---|
)";

constexpr auto kRepetitions = R"(
## Repetitions

A pass may leave work for itself or for earlier passes. If it changes the model, the pipeline goes on with the earlier pass. Each of these
passes removes something that no pass in between makes, so the repetition ends.

| after | the pipeline goes on with |
|---|---|
)";

std::string_view name_of(passes::PassKind kind) {
  constexpr std::array<std::string_view, 3> kNames = {"normalize", "optimize", "legalize"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string list(const std::vector<std::string_view>& names) {
  return names.empty() ? std::string() : fmt::format("`{}`", fmt::join(names, "`, `"));
}

std::string names_of(const target::FaultSet& faults) {
  std::vector<std::string_view> names;
  for (const target::FaultDescription& fault : target::all_faults()) {
    if (faults.contains(fault.fault)) names.push_back(fault.name);
  }
  return list(names);
}

std::string listed_faults(const passes::Pass& pass) {
  if (pass.stage) return "see workarounds";
  const std::string consulted = names_of(pass.consulted);
  return consulted.empty() ? names_of(pass.faults) : fmt::format("{} ({})", names_of(pass.faults), consulted);
}

/// The link to the source file of a pass.
std::string source_of(const passes::Pass& pass) {
  if (pass.stage) return "../passes/legality/legalize_nodes.cpp";
  return fmt::format("../passes/{}/{}.cpp", name_of(pass.kind), pass.name);
}

/// The pass that is the first to apply the rows of a stage.
std::string_view pass_of(passes::Stage stage) {
  const auto passes = passes::pipeline();
  return std::ranges::find(passes, std::optional(stage), &passes::Pass::stage)->name;
}

bool is_required(passes::Property property) {
  return std::ranges::any_of(passes::pipeline(),
                             [&](const passes::Pass& pass) { return pass.required.contains(property); });
}

std::string passes_that_break(passes::Property property) {
  if (passes::lasting_properties().contains(property)) return "no pass";
  if (!is_required(property)) return "any later pass";
  std::vector<std::string_view> names;
  for (const passes::Pass& pass : passes::pipeline()) {
    if (pass.broken.contains(property)) names.push_back(pass.name);
  }
  const bool is_normal_form = passes::kNormalForm.contains(property);
  return list(names) + (is_normal_form ? ", and all of kind legalize" : "");
}

}  // namespace

std::string pass_table() {
  std::string text = kHead;
  for (const passes::Pass& pass : passes::pipeline()) {
    text += fmt::format("| [{}]({}) | {} | {} | {} | {} | {} |\n", pass.name, source_of(pass),
                        name_of(pass.kind), pass.summary, list(names_of(pass.required)),
                        list(names_of(pass.ensured)), listed_faults(pass));
  }
  text += kWorkarounds;
  for (const passes::Workaround& workaround : passes::workarounds()) {
    text += fmt::format("| [{0}](../passes/workarounds/{0}.cpp) | {1} | {2} | {3} |\n", workaround.name,
                        pass_of(workaround.stage), workaround.summary, names_of(faults_of(workaround)));
  }
  text += kProperties;
  for (const passes::PropertyInfo& info : passes::all_properties())
    text += fmt::format("| `{}` | {} | {} |\n", info.name, info.meaning, passes_that_break(info.property));
  text += kRepetitions;
  for (const passes::Pass& pass : passes::pipeline()) {
    if (!pass.repeats_from.empty()) text += fmt::format("| `{}` | `{}` |\n", pass.name, pass.repeats_from);
  }
  return text;
}

}  // namespace onnx2ir::opt
