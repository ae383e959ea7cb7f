// Scan 8, 9, 11, 16, 19, 21, 23, 24, 25 to Loop-5. A scan input is an invariant input of the Loop, from which
// the body gathers its slice by the iteration number: Loop-5's own sliced inputs are wrong on the CPU
// runtime.
#include <onnx/onnx_pb.h>

#include <numeric>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/control_flow.hpp"

namespace onnx2ir::frontend {
namespace {

Value dimension_of(Builder& builder, Value value, std::int64_t axis) {
  const ir::Dimension known = value.shape()[static_cast<std::size_t>(axis)];
  if (known.is_static()) return builder.integer(known.size());
  const Value shape = builder.op("ShapeOf", {value}, {{"output_type", ElementType::i64}});
  return builder.op("Gather", {shape, builder.integer(axis), builder.integer(0)}, {{"batch_dims", 0}});
}

/// `value` backwards along `axis`.
Value reversed(Builder& builder, Value value, std::int64_t axis) {
  return builder.op("Slice",
                    {value, builder.integers({-1}), builder.integers({std::numeric_limits<int>::min()}),
                     builder.integers({-1}), builder.integers({axis})});
}

Value slice_of(Builder& builder, Value value, Value index, std::int64_t axis) {
  return builder.op("Gather", {value, index, builder.integer(axis)}, {{"batch_dims", 0}});
}

std::vector<std::int64_t> list_or(const NodeContext& node, std::string_view name, std::size_t count) {
  auto values = node.integer_list(name);
  if (values.empty()) values.assign(count, 0);
  if (values.size() != count) {
    node.fail("attribute '" + std::string(name) + "' has " + std::to_string(values.size()) + " values, " +
              std::to_string(count) + " are needed");
  }
  return values;
}

struct Signature {
  const onnx::GraphProto* proto;
  std::size_t states;
  std::size_t scan_inputs;
  std::size_t scan_outputs;
};

/// `inputs` counts the states and scan inputs of the node.
Signature check_signature(NodeContext& node, std::size_t inputs) {
  const onnx::GraphProto& proto = node.graph_attribute("body");
  const std::int64_t scan_inputs = node.integer("num_scan_inputs");
  const auto body_inputs = static_cast<std::size_t>(proto.input_size());
  const auto body_outputs = static_cast<std::size_t>(proto.output_size());
  if (scan_inputs < 1 || static_cast<std::size_t>(scan_inputs) > inputs) {
    node.fail("num_scan_inputs is " + std::to_string(scan_inputs) + ", the node has " +
              std::to_string(inputs) + " states and scan inputs");
  }
  const std::size_t states = inputs - static_cast<std::size_t>(scan_inputs);
  if (body_inputs != inputs) {
    node.fail("the body has " + std::to_string(body_inputs) + " inputs, the node gives " +
              std::to_string(inputs));
  }
  if (body_outputs < states) {
    node.fail("the body has " + std::to_string(body_outputs) + " outputs, its states need " +
              std::to_string(states));
  }
  if (node.output_count() > body_outputs) {
    node.fail("the node has " + std::to_string(node.output_count()) + " outputs, its body gives " +
              std::to_string(body_outputs));
  }
  return {&proto, states, static_cast<std::size_t>(scan_inputs), body_outputs - states};
}

Values tensors_of(NodeContext& node, const TranslatedBody& body, std::size_t first) {
  Values values;
  for (std::size_t i = first; i < body.outputs.size(); ++i) {
    values.push_back(as_tensor(body.outputs[i]));
    if (!values.back()) node.fail("scan output " + std::to_string(i - first) + " is no tensor");
  }
  return values;
}

Operands scan_9(NodeContext& node) {
  const Signature signature = check_signature(node, node.input_count());
  const std::size_t states = signature.states;
  const auto input_directions = list_or(node, "scan_input_directions", signature.scan_inputs);
  const auto output_directions = list_or(node, "scan_output_directions", signature.scan_outputs);
  auto input_axes = list_or(node, "scan_input_axes", signature.scan_inputs);
  const auto output_axes = list_or(node, "scan_output_axes", signature.scan_outputs);

  IteratedBody body{.proto = signature.proto, .first_state_input = 0, .first_state_output = 0};
  for (std::size_t i = 0; i < states; ++i) body.initial.push_back(node.input(i));
  Values scanned;
  for (std::size_t i = 0; i < signature.scan_inputs; ++i) {
    const Value value = node.input(states + i);
    input_axes[i] = node.axis(input_axes[i], node.rank(value));
    scanned.push_back(input_directions[i] != 0 ? reversed(node, value, input_axes[i]) : value);
  }
  const Value count = dimension_of(node, scanned.front(), input_axes.front());
  body.bind_others = [&](GraphTranslator& scope, Builder& builder, Value iteration, Value) {
    for (std::size_t i = 0; i < scanned.size(); ++i) {
      const Value whole = as_tensor(scope.capture(scanned[i]));
      scope.bind(signature.proto->input(static_cast<int>(states + i)).name(),
                 slice_of(builder, whole, iteration, input_axes[i]));
    }
  };
  TranslatedBody translated = translate_to_fixpoint(node, body);
  std::vector<bool> wanted;
  for (std::size_t i = 0; i < states; ++i) wanted.push_back(node.has_output(i));
  std::vector<ScanOutput> scans;
  const Values rows = tensors_of(node, translated, states);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    scans.push_back(
        {rows[i], node.axis(output_axes[i], node.rank(rows[i]) + 1), node.has_output(states + i)});
  }
  Builder builder(*translated.graph);
  const Value goes_on = builder.boolean(true);
  LoopResult result =
      make_loop(node, count, node.boolean(true), body, std::move(translated), goes_on, wanted, scans);
  for (std::size_t i = 0; i < scans.size(); ++i) {
    Value output = result.scans[i];
    if (output && output_directions[i] != 0) output = reversed(node, output, scans[i].axis);
    result.states.push_back(output);
  }
  result.states.resize(node.output_count());
  return std::move(result.states);
}

}  // namespace

std::vector<TranslatorRow> scan_translators() {
  return {
      {"Scan", 9, scan_9, "states of changing rank"},
  };
}

}  // namespace onnx2ir::frontend
