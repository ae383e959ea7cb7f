// Replaces a state that each iteration only appends to by a scan output: the runtime then writes each row
// once, while a Concat copies all rows so far in each iteration. (Scripts that append to a list and stack it
// afterwards are exported this way.)
//
// The appended part must have a static shape: Loop-5 stacks parts of one size, and a zero-iteration loop has
// no other source for the sizes. A part of several rows gets an axis of its own, along which the parts are
// stacked, and a Reshape outside merges it with the next one: OpenVINO's passes reject a part_size other
// than 1.
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/inference.hpp"
#include "ir/views/joining.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// The number of rows that `append` adds.
std::int64_t rows_of(ir::ConcatView append) {
  return append.parts()[1].shape()[joined_axis(append)].size();
}

/// Whether the part may follow `initial`: no other sizes are known to differ. If they differ only at run
/// time, the Concat after the loop fails, also after zero iterations.
bool can_follow(ir::Value initial, ir::Value part, std::size_t axis) {
  if (!initial.shape().has_rank(part.shape().rank())) return false;
  for (std::size_t i = 0; i < part.shape().rank(); ++i) {
    if (i != axis && !ir::intersect(initial.shape()[i], part.shape()[i])) return false;
  }
  return true;
}

/// The Concat that appends a part of static shape to `state`; null if the next value is something else.
ir::Node* append_to(ir::LoopView loop, const ir::Carried& state) {
  if (!state.output) return nullptr;
  const ir::Value next = state.result->input(0);
  const auto append = ir::match<ir::ConcatView>(next);
  const bool is_append =
      append && append->parts().size() == 2 && append->parts()[0] == ir::Value{state.parameter, 0};
  if (!is_append || !is_used_once(next) || !is_used_once(*state.parameter)) return nullptr;
  const ir::Value part = append->parts()[1];
  if (!part.shape().is_static() || !can_follow(loop.outer(state), part, joined_axis(*append))) return nullptr;
  return part.shape().element_count() == 0 && rows_of(*append) != 1 ? nullptr : next.node;
}

struct Appended {
  ir::Value initial;
  ir::Scan scan;
  /// The shape of all parts, with the rows merged; empty if a part is one row.
  std::vector<std::int64_t> merged;
};

/// The scan output that replaces the output of `state`.
Appended make_scan(ir::LoopView loop, const ir::Carried& state, ir::ConcatView append) {
  ir::Builder body(loop.graph());
  ir::Value part = append.parts()[1];
  const auto axis = static_cast<std::int64_t>(joined_axis(append));
  std::vector<std::int64_t> merged;
  if (rows_of(append) != 1) {
    merged = part.shape().sizes()->unchecked();
    merged[joined_axis(append)] = -1;
    part = ir::unsqueeze(body, part, {axis});
  }
  return {loop.outer(state), {{.axis = axis}, &body.result(part), *state.output}, std::move(merged)};
}

/// Appends the rows of all iterations to the initial rows: the final value of the state.
void append_outside(ir::LoopView loop, const Appended& appended) {
  const ir::Value stacked = loop.output(appended.scan);
  const auto readers = stacked.output().uses;
  ir::Builder builder = ir::builder_beside(loop.node());
  const bool is_merged = !appended.merged.empty();
  ir::Value whole = is_merged ? ir::reshape(builder, stacked, appended.merged) : stacked;
  const std::int64_t axis = appended.scan.axis;
  if (appended.initial.shape()[static_cast<std::size_t>(axis)] != ir::Dimension(0))
    whole = ir::concat(builder, {appended.initial, whole}, axis);
  if (whole != stacked) ir::replace_uses({readers.begin(), readers.end()}, stacked, whole);
}

bool run_on(ir::LoopView loop) {
  std::vector<Appended> appended;
  std::unordered_set<const ir::Node*> parameters;
  for (ir::Carried& state : loop.states()) {
    const ir::Node* const append = append_to(loop, state);
    if (append == nullptr) continue;
    appended.push_back(make_scan(loop, state, *append));
    parameters.insert(state.parameter);
    loop.scans().push_back(appended.back().scan);
    state.output.reset();
  }
  if (appended.empty()) return false;
  loop.remove_states([&](const ir::Carried& state) { return parameters.contains(state.parameter); });
  ir::infer(loop.node());
  for (const Appended& one : appended) append_outside(loop, one);
  return true;
}

}  // namespace

bool convert_appends_to_scan_outputs(ir::Model& model, PassContext&) {
  return edit_each(loops_of(model), run_on);
}

}  // namespace onnx2ir::passes
