#include "passes/support/run_time_values.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <vector>

#include "ir/builder.hpp"
#include "ir/known_values.hpp"
#include "ir/shape_tools.hpp"
#include "ir/views/selection.hpp"
#include "passes/analysis/uses.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

/// Where a Slice of a vector starts, if it takes all elements from there to its end; no value for other
/// values.
std::optional<std::int64_t> start_of_slice(ir::Value value) {
  const auto slice = ir::match<ir::SliceView>(value);
  if (!slice) return std::nullopt;
  const ir::PartialShape& shape = slice->data().shape();
  const auto count = shape.element_count();
  const auto start = ir::known_scalar(slice->start());
  if (!count || shape.rank() != 1 || !start || ir::known_scalar(slice->step()) != 1) return std::nullopt;
  return std::clamp<std::int64_t>(*start < 0 ? *start + *count : *start, 0, *count);
}

bool is_number(ir::Value value) {
  return value.type() == ir::ElementType::i64 && value.shape().is_scalar();
}

/// An input of `loop`, or of its graph, that changes between inferences; an i64 scalar if the loop has one.
/// Null if no input changes. Skips inputs whose elements our inference knows: they are constant in effect,
/// also if OpenVINO cannot fold them.
ir::Value find_run_time_source(const ir::Node& loop, const RunTimeElements& elements) {
  ir::Value found;
  for (const ir::Value input : loop.inputs()) {
    if (input.type() == ir::ElementType::string || input.shape().element_count() == 0 ||
        !elements.reach(input) || ir::known_values(input))
      continue;
    if (is_number(input)) return input;
    if (!found) found = input;
  }
  return found ? found : run_time_source(loop.graph());
}

ir::Value emit_truth(ir::Graph& main) {
  ir::Builder builder(main);
  const ir::Value source = run_time_source(main);
  if (!source) return emit_run_time_truth(builder);
  builder.set_name(source.node->name);
  const ir::Value truth =
      builder.op(ops::GreaterEqual, {emit_zero_or_one(builder, source), builder.integer(0)});
  truth.node->notes.add(ir::Note::opaque_truth);
  return truth;
}

}  // namespace

OpaqueTrue::OpaqueTrue(ir::Graph& main) : emit_([&main] { return emit_truth(main); }) {}

bool is_opaque_truth(ir::Value value) {
  const auto count = op(ops::Gather, op(ops::ShapeOf, op(ops::NonZero, any())));
  return matches(value, op(ops::GreaterEqual, commutative(ops::Minimum, count, integer(1)), integer(0)));
}

RunTimeElements::RunTimeElements(ir::Model& model) {
  for (ir::Graph* graph : graphs_of(model)) {
    for (ir::Node* node : graph->control_flow()) {
      for (const ir::Body* body : ir::bodies(*node)) captured_.add(*node, *body);
    }
  }
}

bool RunTimeElements::reach(ir::Value value) const {
  std::unordered_set<const ir::Node*> seen;
  std::vector<ir::Value> pending{value};
  while (!pending.empty()) {
    const ir::Value at = pending.back();
    pending.pop_back();
    const ir::Node& node = *at.node;
    if (!seen.insert(&node).second || node.is(ops::ShapeOf)) continue;
    if (node.is(ops::Parameter)) {
      const ir::Value outer = captured_.of(at);
      if (!outer) return true;
      pending.push_back(outer);
    }
    pending.insert(pending.end(), node.inputs().begin(), node.inputs().end());
  }
  return false;
}

ir::Value copy_opaquely(ir::Builder& builder, ir::Value value) {
  const bool is_boolean = value.type() == ir::ElementType::boolean;
  return builder.op(is_boolean ? ops::LogicalOr : ops::Maximum, {value, value});
}

bool copy_for_uses(ir::Node& parameter, const std::function<bool(const ir::Use& use)>& holds) {
  const ir::Value value = parameter.value();
  if (value.type() == ir::ElementType::string) return false;
  std::vector<ir::Use> uses;
  std::ranges::copy_if(value.output().uses, std::back_inserter(uses), holds);
  if (uses.empty()) return false;
  ir::Builder builder = ir::builder_beside(parameter);
  const ir::Value copy = copy_opaquely(builder, value);
  ir::move_uses(uses, value, copy);
  return true;
}

ir::Value run_time_source(const ir::Graph& graph) {
  for (ir::Node* input : graph.parameters()) {
    const ir::Output& output = input->output(0);
    if (output.type != ir::ElementType::string && output.shape.element_count() != 0) return input->value();
  }
  return {};
}

ir::Value emit_zero_or_one(ir::Builder& builder, ir::Value source) {
  const ir::Value elements = ir::flatten(builder, source);
  const ir::Value found = builder.op(ops::NonZero, {elements}, {{"output_type", ir::ElementType::i64}});
  const ir::Value shape = ir::compute_shape_of(builder, found);
  const ir::Value count = ir::gather(builder, shape, builder.integer(1));
  return builder.op(ops::Minimum, {count, builder.integer(1)});
}

ir::Value hide_value(ir::Builder& builder, ir::Value truth, ir::Value value) {
  return builder.op(ops::Select, {truth, value, builder.number(0, value.type())});
}

ir::Value draw_numbers(ir::Builder& builder, ir::Value sizes, ir::Value low, ir::Value high,
                       std::int64_t global_seed, std::int64_t op_seed) {
  return builder.op(ops::RandomUniform, {sizes, low, high},
                    {{"output_type", low.type()},
                     {"global_seed", global_seed},
                     {"op_seed", op_seed},
                     {"alignment", "tensorflow"}});
}

ir::Value emit_run_time_truth(ir::Builder& builder) {
  // OpenVINO never folds a RandomUniform, but its shape inference takes the number that it draws for a
  // constant. It does not compute IsFinite.
  const ir::Value sizes = builder.integers({1});
  const ir::Value low = builder.number(0, ir::ElementType::f32);
  const ir::Value random = draw_numbers(builder, sizes, low, builder.number(1, ir::ElementType::f32));
  random.node->notes.add({ir::Note::keeps_seed, ir::Note::may_be_folded});
  // The Gather keeps IsFinite apart from its uses: with AVX2, the CPU plugin broadcasts an IsFinite of
  // dynamic shape wrongly if it is fused with them.
  const ir::Value truth = builder.op(ops::IsFinite, {random});
  return ir::gather(builder, truth, builder.integer(0));
}

bool is_number_without_seed(ir::RandomUniformView random) {
  return random.global_seed() == 0 && random.op_seed() == 0 && ir::known_scalar(random.shape()) == 1 &&
         ir::exact_number(random.low()) == 0.0 && ir::exact_number(random.high()) == 1.0;
}

bool is_number_of_run_time_truth(ir::Value value) {
  const auto random = ir::match<ir::RandomUniformView>(value);
  if (!random || !is_number_without_seed(*random)) return false;
  const ir::Node* const reader = only_reader(*random);
  return reader != nullptr && reader->is(ops::IsFinite);
}

// The difference of a number from itself. No bitwise operation, because the GPU plugin cannot compute it for
// sizes.
ir::Value emit_run_time_zero(ir::Builder& builder, const ir::Node& loop, const RunTimeElements& elements) {
  const ir::Value source = find_run_time_source(loop, elements);
  if (!source) return {};
  ir::Value number = source;
  if (!is_number(source)) {
    // The first element, if there is one.
    const ir::Value part = ir::slice(builder, ir::flatten(builder, source), 0, 1, 0);
    number = ir::reduce(builder, ops::ReduceSum, ir::convert(builder, part, ir::ElementType::i64), {0});
  }
  return builder.op(ops::Subtract, {number, number});
}

bool is_run_time_zero(ir::Value value) {
  ir::Value number;
  const auto difference = op(ops::Subtract, any(number), same(number));
  return matches(value, difference) || matches(value, commutative(ops::Multiply, difference, any()));
}

ir::Value reshape_to_hidden_sizes(ir::Builder& builder, ir::Value value, const ir::PartialShape& shape,
                                  ir::Value zero) {
  // One operation hides all sizes; a Reshape then gives OpenVINO those that do not change. 0 keeps a size.
  const ir::Value sizes = builder.integers(value.shape().sizes_or(0));
  const ir::Value hidden = ir::reshape_keeping(builder, value, builder.op(ops::Add, {sizes, zero}));
  return reshape_to_static_sizes(builder, hidden, shape);
}

ir::Value hide_elements(ir::Builder& builder, ir::Value list, std::size_t count) {
  const auto start = start_of_slice(list);
  if (start) list = list.node->input(0);
  std::vector<double> places(count);
  for (std::size_t i = 0; i < count; ++i)
    places[i] = static_cast<double>(start.value_or(0)) + static_cast<double>(i);
  const std::int64_t shape[] = {static_cast<std::int64_t>(count), 1};
  const ir::Value indices = builder.numbers(places, shape, ir::ElementType::i64);
  return builder.op(ops::GatherND, {list, indices}, {{"batch_dims", 0}});
}

ir::Value reshape_to_static_sizes(ir::Builder& builder, ir::Value value, const ir::PartialShape& shape) {
  const std::vector<std::int64_t> sizes = shape.sizes_or(0);
  const bool is_all_dynamic = std::ranges::all_of(sizes, [](std::int64_t size) { return size == 0; });
  return is_all_dynamic ? value : ir::reshape_keeping(builder, value, sizes);
}

}  // namespace onnx2ir::passes
