#include "opt/pass_table.hpp"

#include <fmt/core.h>

#include "passes/pipeline.hpp"
#include "target/faults.hpp"

namespace onnx2ir::opt {
namespace {

constexpr auto kHead = R"(# Passes

All passes in the order they run. Made from `onnx2ir-opt --describe-passes` by `./dev test --update tests/passes`; do not edit.

- **normalize**: makes graphs canonical, so that later passes see fewer forms.
- **optimize**: makes the model faster or smaller.
- **legalize**: works around [faults of OpenVINO](runtime-faults.md). It runs only if a release of the target has one of its faults.

To see what a pass does, read its tests in `tests/passes`, or run it alone: `onnx2ir-opt MODEL --pass NAME` ([text-ir.md](text-ir.md)).
[control-flow.md](control-flow.md) says why the passes over loops and branches are as they are.

| pass | kind | what it does | faults |
|---|---|---|---|
)";

std::string_view name_of(passes::PassKind kind) {
  switch (kind) {
    case passes::PassKind::normalize:
      return "normalize";
    case passes::PassKind::optimize:
      return "optimize";
    case passes::PassKind::legalize:
      return "legalize";
  }
  return {};
}

std::string names_of(const target::FaultSet& faults) {
  std::string names;
  for (const target::FaultDescription& fault : target::all_faults()) {
    if (!faults.contains(fault.fault)) continue;
    if (!names.empty()) names += ", ";
    names += fmt::format("`{}`", fault.name);
  }
  return names;
}

}  // namespace

std::string pass_table() {
  std::string text = kHead;
  for (const passes::Pass& pass : passes::pipeline()) {
    text += fmt::format("| [{0}](../passes/{1}/{0}.cpp) | {1} | {2} | {3} |\n", pass.name, name_of(pass.kind),
                        pass.summary, names_of(pass.faults));
  }
  return text;
}

}  // namespace onnx2ir::opt
