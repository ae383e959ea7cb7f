// Loop 1, 11, 13, 16, 19, 21, 23, 24, 25 to Loop-5. The versions differ in what a state may be: 11 allows
// none at all, 13 adds sequences, 16 optionals, the others element types. See docs/control-flow.md.
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <limits>

#include "frontend/graph/onnx_types.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/control_flow.hpp"
#include "ir/inference.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr std::size_t kFirstState = 2;  ///< node inputs and body inputs before the states
constexpr std::int64_t kEndless = -1;   ///< Loop-5's trip count without a bound

/// Input 0 as Loop-5 wants it: absent or beyond what the runtime can count to is no bound, negative is zero.
Value trip_count(NodeContext& node) {
  if (!node.has_input(0)) return node.integer(kEndless);
  const Value given = node.input(0);
  if (given.type() == ElementType::i32) {
    node.warn("trip-count-type", "the trip count is int32, the specification wants int64; it is converted");
  } else if (given.type() != ElementType::i64) {
    node.fail("the trip count must be int64, it is " + describe(given));
  }
  const Value count = as_scalar(node, node, given, ElementType::i64, "the trip count");
  if (const auto known = node.known_integers(count)) {
    // The CPU runtime counts in 32 bits: more iterations than that are as good as endless.
    const bool endless = known->front() >= std::numeric_limits<std::int32_t>::max();
    return node.integer(endless ? kEndless : std::max<std::int64_t>(known->front(), 0));
  }
  return node.op("Maximum", {count, node.integer(0)});
}

Value start_condition(NodeContext& node) {
  if (!node.has_input(1)) return node.boolean(true);
  return as_scalar(node, node, node.input(1), ElementType::boolean, "the condition");
}

/// The body, translated once with given shapes of its states.
struct TranslatedBody {
  std::unique_ptr<ir::Graph> graph;
  std::unique_ptr<GraphTranslator> scope;
  ir::Node* iteration = nullptr;
  ir::Node* condition = nullptr;  ///< Parameter for the condition that led to the iteration
  std::vector<ir::Node*> states;  ///< Parameters
  Values outputs;                 ///< condition, states, scan outputs
};

/// A scalar of the body as a value of the rank that the body declares for it: bodies may want shape [1].
Value with_declared_rank(Builder& builder, Value scalar, const onnx::ValueInfoProto& declared) {
  const auto type = to_tensor_type(declared.type());
  if (!type || !type->shape.has_rank() || type->shape.rank() == 0) return scalar;
  const std::vector<std::int64_t> ones(type->shape.rank(), 1);
  return builder.op("Reshape", {scalar, builder.integers(ones)}, {{"special_zero", false}});
}

void warn_of_shadowing(NodeContext& node, const onnx::ValueInfoProto& input) {
  if (node.translator().knows(input.name())) {
    node.warn("shadowed-name",
              "body input '" + input.name() + "' has the name of an outer value; the body's is used");
  }
}

TranslatedBody translate_body(NodeContext& node, const onnx::GraphProto& proto, const Values& initial,
                              const std::vector<PartialShape>& shapes) {
  GraphTranslator& outer = node.translator();
  TranslatedBody body;
  body.graph = std::make_unique<ir::Graph>();
  body.graph->name = proto.name();
  body.scope = std::make_unique<GraphTranslator>(outer, GraphTranslator::Kind::body, *body.graph,
                                                 outer.path_of_body(node.proto(), "body"));
  Builder builder(*body.graph);
  const auto parameter = [&](int index, ElementType type, PartialShape shape) {
    builder.set_name(proto.input(index).name());
    return builder.parameter(type, std::move(shape));
  };
  const Value iteration = parameter(0, ElementType::i64, PartialShape::scalar());
  body.iteration = iteration.node;
  const Value condition = parameter(1, ElementType::boolean, PartialShape::scalar());
  body.condition = condition.node;
  for (std::size_t i = 0; i < initial.size(); ++i) {
    body.states.push_back(parameter(static_cast<int>(kFirstState + i), initial[i].type(), shapes[i]).node);
  }
  builder.set_name({});
  body.scope->bind(proto.input(0).name(), with_declared_rank(builder, iteration, proto.input(0)));
  body.scope->bind(proto.input(1).name(), with_declared_rank(builder, condition, proto.input(1)));
  for (std::size_t i = 0; i < body.states.size(); ++i) {
    body.scope->bind(proto.input(static_cast<int>(kFirstState + i)).name(), body.states[i]->value());
  }
  if (!body.scope->translate(proto, body.outputs)) throw AlreadyReported{};
  return body;
}

/// The shapes the states need beside `shapes` after an iteration; refuses the node when there are none.
std::vector<PartialShape> widened(NodeContext& node, const TranslatedBody& body, const Values& initial,
                                  const std::vector<PartialShape>& shapes) {
  std::vector<PartialShape> result;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Value next = body.outputs[1 + i];
    const auto what = [&] {
      return "state " + std::to_string(i) + " starts as " + describe(initial[i]) + " and becomes " +
             describe(next);
    };
    if (next.type() != initial[i].type()) node.fail("a carried value changes its element type: " + what());
    result.push_back(widen(shapes[i], next.shape()));
    if (!result.back().has_rank() && shapes[i].has_rank()) {
      node.fail("a carried value changes its rank: " + what(), "OpenVINO has no values of dynamic rank");
    }
  }
  return result;
}

/// Translates the body with shapes that hold in every iteration: those of the initial values, widened until
/// the body's results fit. What fails with the first, exact shapes may do so only because they hold once.
TranslatedBody translate_to_fixpoint(NodeContext& node, const onnx::GraphProto& proto,
                                     const Values& initial) {
  std::vector<PartialShape> shapes;
  for (const Value& value : initial) shapes.push_back(value.shape());
  std::vector<PartialShape> dynamic;
  for (const PartialShape& shape : shapes) {
    dynamic.push_back(shape.has_rank() ? PartialShape::of_rank(shape.rank()) : shape);
  }
  while (true) {
    const bool last_try = shapes == dynamic;
    const auto mark = node.translator().sink().mark();
    try {
      TranslatedBody body = translate_body(node, proto, initial, shapes);
      std::vector<PartialShape> wider = widened(node, body, initial, shapes);
      if (wider == shapes) return body;
      node.translator().sink().rewind(mark);
      shapes = std::move(wider);
    } catch (const AlreadyReported&) {
      if (last_try) throw;
      node.translator().sink().rewind(mark);
      shapes = dynamic;
    }
  }
}

void check_signature(NodeContext& node, const onnx::GraphProto& proto, std::size_t states) {
  const auto inputs = static_cast<std::size_t>(proto.input_size());
  const auto outputs = static_cast<std::size_t>(proto.output_size());
  if (inputs != kFirstState + states) {
    node.fail("the body has " + std::to_string(inputs) + " inputs; iteration, condition and " +
              std::to_string(states) + " states need " + std::to_string(kFirstState + states));
  }
  if (outputs < 1 + states) {
    node.fail("the body has " + std::to_string(outputs) + " outputs; condition and " +
              std::to_string(states) + " states need " + std::to_string(1 + states));
  }
  if (node.output_count() > outputs - 1) {
    node.fail("the node has " + std::to_string(node.output_count()) + " outputs, its body gives " +
              std::to_string(outputs - 1));
  }
}

Values loop_1(NodeContext& node) {
  const onnx::GraphProto& proto = node.graph_attribute("body");
  Values initial;
  for (std::size_t i = kFirstState; i < node.input_count(); ++i) initial.push_back(node.input(i));
  check_signature(node, proto, initial.size());
  for (const auto& input : proto.input()) warn_of_shadowing(node, input);
  const Value count = trip_count(node);
  const Value condition = start_condition(node);
  TranslatedBody body = translate_to_fixpoint(node, proto, initial);

  Values inputs{count, condition};
  const auto connect = [&](Value outer) {
    inputs.push_back(outer);
    return static_cast<std::uint32_t>(inputs.size() - 1);
  };
  Builder builder(*body.graph);
  ir::LoopBody loop;
  loop.condition = &builder.result(
      as_scalar(node, builder, body.outputs[0], ElementType::boolean, "the body's condition"));
  if (body.condition->has_uses()) {
    loop.carried.push_back({connect(condition), body.condition, loop.condition, std::nullopt});
  } else {
    body.graph->remove(*body.condition);
  }
  std::vector<std::pair<std::size_t, std::uint32_t>> wanted;  // ONNX output, Loop-5 output
  const auto next_output = [&](std::size_t onnx_output) -> std::optional<std::uint32_t> {
    if (!node.has_output(onnx_output)) return std::nullopt;
    wanted.emplace_back(onnx_output, static_cast<std::uint32_t>(wanted.size()));
    return wanted.back().second;
  };
  for (std::size_t i = 0; i < initial.size(); ++i) {
    ir::Node& result = builder.result(body.outputs[1 + i]);
    loop.carried.push_back({connect(initial[i]), body.states[i], &result, next_output(i)});
  }
  for (std::size_t i = initial.size(); i + 1 < body.outputs.size(); ++i) {
    const auto output = next_output(i);
    if (!output) continue;
    const Value row = builder.op("Unsqueeze", {body.outputs[1 + i], builder.integers({0})});
    loop.scans.push_back({.result = &builder.result(row), .output = *output});
  }
  if (body.iteration->has_uses()) {
    loop.iteration = body.iteration;
  } else {
    body.graph->remove(*body.iteration);
  }
  ir::Node& result = node.graph().add(ir::find_op("Loop"), inputs, wanted.size());
  connect_captures(result, body.scope->captures(), loop.invariants);
  loop.graph = std::move(body.graph);
  result.payload() = std::move(loop);
  ir::infer(result);
  Values outputs(node.output_count());
  for (const auto& [onnx_output, output] : wanted) outputs[onnx_output] = result.value(output);
  return outputs;
}

}  // namespace

std::vector<TranslatorRow> loop_translators() {
  return {
      {"Loop", 1, loop_1, "carried values of changing rank; sequences and optionals"},
  };
}

}  // namespace onnx2ir::frontend
