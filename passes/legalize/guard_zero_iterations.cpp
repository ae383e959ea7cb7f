// Outputs of a loop that may run zero times are cut by whether it ran: the CPU runtime leaves what the last
// inference put there (scan outputs), or nothing sensible (states the body writes and never reads).
#include "ir/builder.hpp"
#include "ir/inference.hpp"
#include "passes/graph_walk.hpp"
#include "passes/if_builder.hpp"
#include "passes/loop_ports.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// "All rows" for Slice. Larger numbers do not survive the way of constants through f32.
constexpr std::int64_t kAllRows = std::int64_t{1} << 30U;

/// Lets all readers of `output` read what `guard` makes of it.
template <typename Guard>
void guard_output(ir::Node& loop, std::uint32_t output, Guard guard) {
  ir::Output& guarded = loop.output(output);
  const auto readers = guarded.uses;
  const ir::Value replacement = guard(loop.value(output));
  for (const ir::Use& use : readers) use.node->set_input(use.index, replacement);
  auto& names = replacement.node->output(replacement.index).names;
  names.append(guarded.names.begin(), guarded.names.end());
  guarded.names.clear();
}

/// `final` when `ran`, else `initial`.
ir::Value choose(ir::Builder& builder, ir::Value ran, ir::Value final, ir::Value initial) {
  // The runtime computes booleans as u8, but not behind a Loop: its Select refuses the two.
  const bool is_boolean = final.type() == ir::ElementType::boolean;
  if (!is_boolean && final.shape().is_static() && final.shape() == initial.shape()) {
    return builder.op("Select", {ran, final, initial});
  }
  ir::Node& choice = add_choice(
      builder, ran, {final, initial}, [](ir::Builder&, const Values& inner) { return Values{inner[0]}; },
      [](ir::Builder&, const Values& inner) { return Values{inner[1]}; });
  choice.name = final.node->name;
  return choice.value();
}

/// Whether the rows are read through the guard's Slice only: the pass has been here.
bool is_guarded(const ir::Node& loop, std::uint32_t output) {
  const auto& uses = loop.output(output).uses;
  if (uses.size() != 1 || !uses.front().node->is("Slice") || uses.front().index != 0) return false;
  const ir::Node& end = *uses.front().node->input(2).node;
  if (!end.is("Select")) return false;
  const auto all = ir::exact_values(end.input(1));
  return all && !all->empty() && all->front() == kAllRows;
}

/// Whether the final value of `state` is read through the guard's choice only.
bool is_chosen(const ir::Node& loop, const ir::Carried& state) {
  const auto& uses = loop.output(*state.output).uses;
  if (uses.size() != 1 || uses.front().index != 1) return false;
  const ir::Node& reader = *uses.front().node;
  const bool is_choice = reader.is("Select") || (reader.is("If") && reader.inputs().size() == 3);
  return is_choice && reader.input(2) == loop.input(state.input);
}

bool run_on(ir::Node& node) {
  if (ir::runs_at_least_once(node)) return false;
  ir::Builder builder(node.graph());
  builder.set_name(node.name);
  ir::LoopBody& loop = *node.loop();
  ir::Value ran;
  const auto runs = [&] { return ran ? ran : ran = whether_it_runs(builder, node); };
  bool modified = false;
  for (const ir::Scan& scan : loop.scans) {
    if (node.output(scan.output).uses.empty() || is_guarded(node, scan.output)) continue;
    guard_output(node, scan.output, [&](ir::Value rows) {
      // Without iterations nothing tells the sizes that are not static: they are 0, as in onnxruntime.
      std::vector<std::int64_t> axes{scan.axis};
      for (std::size_t i = 0; i < rows.shape().rank(); ++i) {
        const auto axis = static_cast<std::int64_t>(i);
        if (axis != scan.axis && rows.shape()[i].is_dynamic()) axes.push_back(axis);
      }
      const std::vector<std::int64_t> none(axes.size(), 0);
      const std::vector<std::int64_t> all(axes.size(), kAllRows);
      const std::vector<std::int64_t> ones(axes.size(), 1);
      const ir::Value end = builder.op("Select", {runs(), builder.integers(all), builder.integers(none)});
      return builder.op("Slice",
                        {rows, builder.integers(none), end, builder.integers(ones), builder.integers(axes)});
    });
    modified = true;
  }
  for (const ir::Carried& state : loop.carried) {
    if (!state.output || node.output(*state.output).uses.empty()) continue;
    if (is_read(state.parameter->value())) continue;
    if (is_chosen(node, state)) continue;
    guard_output(node, *state.output,
                 [&](ir::Value final) { return choose(builder, runs(), final, node.input(state.input)); });
    modified = true;
  }
  return modified;
}

}  // namespace

bool guard_zero_iterations(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Node* loop : loops_of(model)) modified = run_on(*loop) || modified;
  return modified;
}

}  // namespace onnx2ir::passes
