// Scan 8, 9, 11, 16, 19, 21, 23, 24, 25, translated to Loop-5. A scan input becomes an invariant of the Loop,
// from which the body gathers its slice by the iteration number.

#include "frontend/reader/onnx_proto.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/control_flow.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

struct Signature {
  const onnx::GraphProto* proto;
  std::size_t states;
  std::size_t scan_inputs;
  std::size_t scan_outputs;
};

/// `inputs` counts the states and scan inputs of the node.
Signature check_signature(NodeContext& node, std::size_t inputs) {
  const onnx::GraphProto& proto = node.graph_attribute("body");
  const std::int64_t scan_inputs = node.integer_attribute("num_scan_inputs");
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

/// Scan 9, 11, 16, 19, 21, 23, 24, 25, and of one sequence in version 8, which has no attributes for axes and
/// outputs.
Operands scan_9(NodeContext& node) {
  const Signature signature = check_signature(node, node.input_count());
  const std::size_t states = signature.states;
  const std::string_view directions = node.opset() < 9 ? "directions" : "scan_input_directions";
  const auto input_directions = node.integer_list(directions, signature.scan_inputs, 0);
  const auto output_directions = node.integer_list("scan_output_directions", signature.scan_outputs, 0);
  auto input_axes = node.integer_list("scan_input_axes", signature.scan_inputs, 0);
  const auto output_axes = node.integer_list("scan_output_axes", signature.scan_outputs, 0);

  IteratedBody body{.proto = signature.proto, .first_state_input = 0, .first_state_output = 0};
  for (std::size_t i = 0; i < states; ++i) body.initial.push_back(node.input(i));
  Values scanned;
  for (std::size_t i = 0; i < signature.scan_inputs; ++i) {
    const Value value = node.input(states + i);
    input_axes[i] = node.axis(input_axes[i], node.rank(value));
    scanned.push_back(input_directions[i] != 0 ? reverse(node, value, input_axes[i]) : value);
  }
  const Value count = size_of(node, scanned.front(), input_axes.front());
  body.bind_others = [&](GraphTranslator& scope, Builder& builder, Value iteration, Value) {
    for (std::size_t i = 0; i < scanned.size(); ++i) {
      const Value whole = as_tensor(scope.capture(scanned[i]));
      scope.bind(signature.proto->input(static_cast<int>(states + i)).name(),
                 gather(builder, whole, iteration, input_axes[i]));
    }
  };
  TranslatedBody translated = translate_to_fixpoint(node, body);
  std::vector<bool> used_states;
  for (std::size_t i = 0; i < states; ++i) used_states.push_back(node.has_output(i));
  std::vector<ScanOutput> scans;
  const Values rows = tensors_of(node, translated.outputs, states);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    scans.push_back(
        {rows[i], node.axis(output_axes[i], node.rank(rows[i]) + 1), node.has_output(states + i)});
  }
  Builder builder(*translated.graph);
  const Value next_condition = builder.boolean(true);
  LoopResult result = make_loop(node, count, node.boolean(true), body, std::move(translated), next_condition,
                                used_states, scans);
  for (std::size_t i = 0; i < scans.size(); ++i) {
    Value output = result.scans[i];
    if (output && output_directions[i] != 0) output = reverse(node, output, scans[i].axis);
    result.states.push_back(output);
  }
  result.states.resize(node.output_count());
  return std::move(result.states);
}

/// Pads `rows` with zeros to `count` rows (i64 scalar).
Value fill_up(Builder& builder, Value rows, Value count) {
  Values shape{unsqueeze(builder, builder.op(ops::Subtract, {count, size_of(builder, rows, 0)}), {0})};
  for (std::size_t i = 1; i < rows.shape().rank(); ++i)
    shape.push_back(unsqueeze(builder, size_of(builder, rows, static_cast<std::int64_t>(i)), {0}));
  return concat(builder, {rows, fill(builder, 0, rows.type(), concat(builder, shape))});
}

/// A Scan 8, which has a leading batch axis.
struct BatchedScan {
  Signature signature;
  Value lengths;  ///< of the sequences; null: all are complete
  Values inputs;  ///< states and scan inputs
};

/// The outputs of the Scan of one sequence, in the body of the loop over the batch.
Operands scan_sequence(NodeContext& node, const BatchedScan& batch, GraphTranslator& scope, Builder& builder,
                       Value iteration) {
  const std::size_t states = batch.signature.states;
  Value length;
  if (batch.lengths) {
    const Value of_all = as_tensor(scope.capture(batch.lengths));
    const Value one = gather(builder, of_all, iteration, 0);
    length = unsqueeze(builder, convert(builder, one, ElementType::i64), {0});
  }
  Operands inputs;
  Value longest;
  for (std::size_t i = 0; i < batch.inputs.size(); ++i) {
    Value value = gather(builder, as_tensor(scope.capture(batch.inputs[i])), iteration, 0);
    if (i >= states && length) {
      longest = size_of(builder, value, 0);
      value = slice(builder, value, builder.integers({0}), length, 0);
    }
    inputs.emplace_back(value);
  }
  NodeContext of_one(scope, node.proto(), node.opset(), inputs);
  Operands outputs = scan_9(of_one);
  for (std::size_t i = states; length && i < outputs.size(); ++i) {
    if (node.has_output(i)) outputs[i] = fill_up(builder, as_tensor(outputs[i]), longest);
  }
  return outputs;
}

/// Scan 8: a loop over the batch around the Scan of later versions.
Operands scan_8(NodeContext& node) {
  if (node.input_count() < 2) node.fail("it has no scan inputs");
  const Value lengths = node.optional_input(0);
  BatchedScan batch{check_signature(node, node.input_count() - 1), lengths, {}};
  for (std::size_t i = 1; i < node.input_count(); ++i) {
    if (node.rank(node.input(i)) < 1) node.fail("its inputs need a batch axis");
    batch.inputs.push_back(node.input(i));
  }
  // A body without nodes: its outputs are bound below.
  onnx::GraphProto outputs;
  std::vector<std::size_t> used_outputs;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (!node.has_output(i)) continue;
    outputs.add_output()->set_name("of_one_sequence_" + std::to_string(i));
    used_outputs.push_back(i);
  }
  IteratedBody body{.proto = &outputs, .first_state_input = 0, .first_state_output = 0};
  body.bind_others = [&](GraphTranslator& scope, Builder& builder, Value iteration, Value) {
    const Operands of_one = scan_sequence(node, batch, scope, builder, iteration);
    for (std::size_t i = 0; i < used_outputs.size(); ++i)
      scope.bind(outputs.output(static_cast<int>(i)).name(), of_one[used_outputs[i]]);
  };
  TranslatedBody translated = translate_to_fixpoint(node, body);
  std::vector<ScanOutput> scans;
  const Values rows = tensors_of(node, translated.outputs, 0);
  for (const Value& row : rows) scans.push_back({row, 0, true});
  const Value count = size_of(node, batch.inputs.front(), 0);
  Builder builder(*translated.graph);
  const Value next_condition = builder.boolean(true);
  const LoopResult result =
      make_loop(node, count, node.boolean(true), body, std::move(translated), next_condition, {}, scans);
  Operands results(node.output_count());
  for (std::size_t i = 0; i < used_outputs.size(); ++i) results[used_outputs[i]] = result.scans[i];
  return results;
}

}  // namespace

std::vector<TranslatorRow> scan_translators() {
  return {
      {"Scan", 8, scan_8, "states of changing rank"},
      {"Scan", 9, scan_9, "states of changing rank"},
  };
}

}  // namespace onnx2ir::frontend
