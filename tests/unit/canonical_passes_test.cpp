// Passes that make plain graphs smaller: each fires where it should, leaves alone what only looks alike, and
// has nothing left to do when run again.
#include <cmath>

#include "catch.hpp"
#include "ir/builder.hpp"
#include "passes/passes.hpp"

using namespace onnx2ir;
using ir::Value;

namespace {

using PassFunction = bool (*)(ir::Model&, passes::PassContext&);
constexpr auto f32 = ir::ElementType::f32;

/// A model with one input and one output, which the test fills in.
struct OneOutput {
  ir::Model model;
  ir::Builder builder{model.graph};
  Value x;
  ir::Node* result = nullptr;

  explicit OneOutput(ir::PartialShape shape = {2, 3, 4}) : x(builder.parameter(f32, std::move(shape))) {}
  Value number(double value) { return builder.number(value, f32); }
  Value op(std::string_view name, std::initializer_list<Value> inputs, ir::AttributeList attributes = {}) {
    return builder.op(name, inputs, attributes);
  }
  /// The operation the output comes from after `pass`; a second run must change nothing.
  std::string_view after(PassFunction pass, Value output) {
    result = &builder.result(output);
    passes::PassContext context;
    pass(model, context);
    model.graph.remove_dead_nodes();
    CHECK_FALSE(pass(model, context));
    return source().op().name;
  }
  ir::Node& source() const { return *result->input(0).node; }
};

Value gelu(OneOutput& graph, double scale, double half = 0.5) {
  const Value erf = graph.op("Erf", {graph.op("Divide", {graph.x, graph.number(scale)})});
  const Value gate = graph.op("Add", {erf, graph.number(1)});
  return graph.op("Multiply", {graph.op("Multiply", {graph.x, gate}), graph.number(half)});
}

Value tanh_gelu(OneOutput& graph, double cubic) {
  const Value cube = graph.op("Power", {graph.x, graph.number(3)});
  const Value sum = graph.op("Add", {graph.x, graph.op("Multiply", {graph.number(cubic), cube})});
  const Value tanh = graph.op("Tanh", {graph.op("Multiply", {sum, graph.number(0.7978845608)})});
  const Value gate = graph.op("Add", {graph.number(1), tanh});
  return graph.op("Multiply", {graph.op("Multiply", {graph.number(0.5), graph.x}), gate});
}

Value layer_normalization(OneOutput& graph, std::int64_t axis, std::int64_t variance_axis, double epsilon) {
  const ir::Attribute keep{"keep_dims", true};
  const Value mean = graph.op("ReduceMean", {graph.x, graph.builder.integers({axis})}, {keep});
  const Value centred = graph.op("Subtract", {graph.x, mean});
  const Value square = graph.op("Power", {centred, graph.number(2)});
  const Value variance = graph.op("ReduceMean", {square, graph.builder.integers({variance_axis})}, {keep});
  const Value root = graph.op("Sqrt", {graph.op("Add", {variance, graph.number(epsilon)})});
  return graph.op("Divide", {centred, root});
}

}  // namespace

TEST_CASE("fuse_activations: Gelu by erf", "[passes]") {
  OneOutput graph;
  CHECK(graph.after(passes::fuse_activations, gelu(graph, std::sqrt(2.0))) == "Gelu");
  CHECK(graph.source().text("approximation_mode") == "ERF");
  CHECK(graph.source().input(0) == graph.x);
  OneOutput other_scale;
  CHECK(other_scale.after(passes::fuse_activations, gelu(other_scale, 1.5)) == "Multiply");
  OneOutput other_half;
  CHECK(other_half.after(passes::fuse_activations, gelu(other_half, std::sqrt(2.0), 0.25)) == "Multiply");
}

TEST_CASE("fuse_activations: Gelu by tanh", "[passes]") {
  OneOutput graph;
  CHECK(graph.after(passes::fuse_activations, tanh_gelu(graph, 0.044715)) == "Gelu");
  CHECK(graph.source().text("approximation_mode") == "TANH");
  OneOutput other;
  CHECK(other.after(passes::fuse_activations, tanh_gelu(other, 0.05)) == "Multiply");
}

TEST_CASE("fuse_activations: Gelu by tanh with x drawn out", "[passes]") {
  const auto gelu = [](OneOutput& graph, double one) {
    const Value square =
        graph.op("Multiply", {graph.op("Multiply", {graph.x, graph.number(0.044715)}), graph.x});
    const Value sum = graph.op("Add", {square, graph.number(one)});
    const Value scaled = graph.op("Multiply", {graph.x, graph.number(0.7978845608)});
    const Value tanh = graph.op("Tanh", {graph.op("Multiply", {scaled, sum})});
    const Value half = graph.op("Multiply", {graph.x, graph.number(0.5)});
    return graph.op("Multiply", {half, graph.op("Add", {tanh, graph.number(1)})});
  };
  OneOutput graph;
  CHECK(graph.after(passes::fuse_activations, gelu(graph, 1)) == "Gelu");
  OneOutput other;
  CHECK(other.after(passes::fuse_activations, gelu(other, 2)) == "Multiply");
}

TEST_CASE("fuse_activations: SoftPlus with a threshold", "[passes]") {
  const auto soft_plus = [](OneOutput& graph, double threshold, double inner, double outer) {
    const Value scaled = inner == 1 ? graph.x : graph.op("Multiply", {graph.x, graph.number(inner)});
    const Value smooth = graph.op("SoftPlus", {scaled});
    const Value divided = outer == 1 ? smooth : graph.op("Divide", {smooth, graph.number(outer)});
    const Value is_above = graph.op("Greater", {scaled, graph.number(threshold)});
    return graph.op("Select", {is_above, graph.x, divided});
  };
  OneOutput graph;
  CHECK(graph.after(passes::fuse_activations, soft_plus(graph, 20, 1, 1)) == "SoftPlus");
  OneOutput scaled;
  CHECK(scaled.after(passes::fuse_activations, soft_plus(scaled, 20, 2, 2)) == "Divide");
  OneOutput low;
  CHECK(low.after(passes::fuse_activations, soft_plus(low, 5, 1, 1)) == "Select");
  OneOutput other_factor;
  CHECK(other_factor.after(passes::fuse_activations, soft_plus(other_factor, 20, 2, 3)) == "Select");
}

TEST_CASE("fuse_activations: what somebody else reads stays", "[passes]") {
  OneOutput graph;
  const Value sigmoid = graph.op("Sigmoid", {graph.x});
  graph.builder.result(sigmoid);
  CHECK(graph.after(passes::fuse_activations, graph.op("Multiply", {graph.x, sigmoid})) == "Multiply");
}

TEST_CASE("fuse_activations: Swish", "[passes]") {
  OneOutput graph;
  CHECK(graph.after(passes::fuse_activations,
                    graph.op("Multiply", {graph.op("Sigmoid", {graph.x}), graph.x})) == "Swish");
  CHECK(graph.source().inputs().size() == 1);
  OneOutput scaled;
  const Value inner = scaled.op("Multiply", {scaled.x, scaled.number(1.702)});
  CHECK(scaled.after(passes::fuse_activations,
                     scaled.op("Multiply", {scaled.x, scaled.op("Sigmoid", {inner})})) == "Swish");
  CHECK(scaled.source().inputs().size() == 2);
  OneOutput gated;
  const Value other = gated.builder.parameter(f32, {2, 3, 4});
  CHECK(gated.after(passes::fuse_activations,
                    gated.op("Multiply", {gated.x, gated.op("Sigmoid", {other})})) == "Multiply");
}

TEST_CASE("fuse_activations: a number of higher rank gives the result its rank", "[passes]") {
  OneOutput graph({4});
  const std::int64_t ones[] = {1, 1};
  const double factor[] = {1.0};
  const Value one = graph.builder.numbers(factor, ones, f32);
  const Value product = graph.op("Multiply", {graph.x, graph.op("Sigmoid", {graph.x})});
  graph.after(passes::fuse_activations, graph.op("Multiply", {product, one}));
  CHECK(graph.result->input(0).shape() == ir::PartialShape{1, 4});
}

TEST_CASE("fuse_activations: HSwish, Mish, SoftPlus", "[passes]") {
  const auto hard_swish = [](OneOutput& graph, double top) {
    const Value shifted = graph.op("Add", {graph.x, graph.number(3)});
    const Value clipped =
        graph.op("Minimum", {graph.op("Maximum", {shifted, graph.number(0)}), graph.number(top)});
    return graph.op("Divide", {graph.op("Multiply", {graph.x, clipped}), graph.number(6)});
  };
  OneOutput graph;
  CHECK(graph.after(passes::fuse_activations, hard_swish(graph, 6)) == "HSwish");
  OneOutput other;
  CHECK(other.after(passes::fuse_activations, hard_swish(other, 5)) == "Divide");
  const auto soft_plus = [](OneOutput& to, double one) {
    return to.op("Log", {to.op("Add", {to.op("Exp", {to.x}), to.number(one)})});
  };
  OneOutput plus;
  CHECK(plus.after(passes::fuse_activations, soft_plus(plus, 1)) == "SoftPlus");
  OneOutput not_plus;
  CHECK(not_plus.after(passes::fuse_activations, soft_plus(not_plus, 2)) == "Log");
  OneOutput mish;
  const Value tanh = mish.op("Tanh", {soft_plus(mish, 1)});
  CHECK(mish.after(passes::fuse_activations, mish.op("Multiply", {mish.x, tanh})) == "Mish");
}

TEST_CASE("fuse_layer_normalization", "[passes]") {
  OneOutput graph({2, ir::Dimension(), 4});
  CHECK(graph.after(passes::fuse_layer_normalization, layer_normalization(graph, -1, 2, 1e-5)) == "MVN");
  CHECK(ir::exact_values(graph.source().input(1)) == std::vector<std::int64_t>{2});
  CHECK(graph.source().real("eps") == Approx(1e-5));
  OneOutput not_last;
  CHECK(not_last.after(passes::fuse_layer_normalization, layer_normalization(not_last, 1, 1, 1e-5)) ==
        "Divide");
  OneOutput other_axis;
  CHECK(other_axis.after(passes::fuse_layer_normalization, layer_normalization(other_axis, 2, 1, 1e-5)) ==
        "Divide");
  OneOutput no_epsilon;
  CHECK(no_epsilon.after(passes::fuse_layer_normalization, layer_normalization(no_epsilon, 2, 2, 0)) ==
        "Divide");
}

TEST_CASE("fuse_layer_normalization: squares with more digits", "[passes]") {
  constexpr auto f16 = ir::ElementType::f16;
  const auto normalization = [](OneOutput& graph, ir::ElementType numbers, ir::ElementType squares) {
    const ir::Attribute keep{"keep_dims", true};
    const Value x = graph.builder.parameter(numbers, {2, 3, 4});
    const Value mean = graph.op("ReduceMean", {x, graph.builder.integers({-1})}, {keep});
    const Value centred =
        graph.op("Convert", {graph.op("Subtract", {x, mean})}, {{"destination_type", squares}});
    const Value square = graph.op("Power", {centred, graph.builder.number(2, squares)});
    const Value variance = graph.op("ReduceMean", {square, graph.builder.integers({-1})}, {keep});
    const Value sum = graph.op("Add", {variance, graph.builder.number(1e-5, squares)});
    return graph.op("Divide", {centred, graph.op("Sqrt", {sum})});
  };
  OneOutput graph;
  CHECK(graph.after(passes::fuse_layer_normalization, normalization(graph, f16, f32)) == "MVN");
  CHECK(graph.source().input(0).node->is("Convert"));
  OneOutput other;
  CHECK(other.after(passes::fuse_layer_normalization, normalization(other, f32, f16)) == "Divide");
}

TEST_CASE("combine_transposes", "[passes]") {
  OneOutput graph;
  const Value inner = graph.op("Transpose", {graph.x, graph.builder.integers({1, 2, 0})});
  const Value outer = graph.op("Transpose", {inner, graph.builder.integers({0, 2, 1})});
  CHECK(graph.after(passes::combine_transposes, outer) == "Transpose");
  CHECK(graph.source().input(0) == graph.x);
  CHECK(ir::exact_values(graph.source().input(1)) == std::vector<std::int64_t>{1, 0, 2});
  OneOutput run_time;
  const Value order = run_time.builder.parameter(ir::ElementType::i64, {3});
  const Value first = run_time.op("Transpose", {run_time.x, order});
  run_time.after(passes::combine_transposes,
                 run_time.op("Transpose", {first, run_time.builder.integers({0, 2, 1})}));
  CHECK(run_time.source().input(0) == first);
}

TEST_CASE("remove_no_ops", "[passes]") {
  OneOutput graph;
  const Value order = graph.builder.integers({0, 1, 2});
  const Value same =
      graph.op("Convert", {graph.op("Transpose", {graph.x, order})}, {{"destination_type", f32}});
  CHECK(graph.after(passes::remove_no_ops, same) == "Parameter");
  OneOutput swapped;
  CHECK(swapped.after(passes::remove_no_ops,
                      swapped.op("Transpose", {swapped.x, swapped.builder.integers({0, 2, 1})})) ==
        "Transpose");
  OneOutput reversed;
  const auto one = [&](std::int64_t value) { return reversed.builder.integers({value}); };
  CHECK(reversed.after(passes::remove_no_ops,
                       reversed.op("Slice", {reversed.x, one(-1), one(-100), one(-1), one(0)})) == "Slice");
}

TEST_CASE("fold_constants", "[passes]") {
  OneOutput graph;
  const Value shape = graph.op("ShapeOf", {graph.x}, {{"output_type", ir::ElementType::i64}});
  CHECK(graph.after(passes::fold_constants, shape) == "Const");
  CHECK(ir::exact_values(graph.source().value()) == std::vector<std::int64_t>{2, 3, 4});
  OneOutput run_time({2, ir::Dimension()});
  CHECK(run_time.after(passes::fold_constants,
                       run_time.op("ShapeOf", {run_time.x}, {{"output_type", ir::ElementType::i64}})) ==
        "ShapeOf");
}

TEST_CASE("fold_constants: tensors without elements", "[passes]") {
  OneOutput empty({0, 4});
  CHECK(empty.after(passes::fold_constants, empty.op("ReLU", {empty.x})) == "Const");
  OneOutput perhaps_empty({ir::Dimension(), 4});
  CHECK(perhaps_empty.after(passes::fold_constants, perhaps_empty.op("ReLU", {perhaps_empty.x})) == "ReLU");
}

namespace {

/// How many nodes of the operation are read after merge_equal_nodes.
std::size_t count_after_merging(OneOutput& graph, std::string_view operation, Value output) {
  graph.after(passes::merge_equal_nodes, output);
  std::size_t count = 0;
  for (const auto& node : graph.model.graph.nodes()) count += node->is(operation) ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("merge_equal_nodes", "[passes]") {
  const auto swish = [](OneOutput& graph, double first, double second) {
    const Value a = graph.op("Multiply", {graph.x, graph.number(first)});
    const Value b = graph.op("Multiply", {graph.x, graph.number(second)});
    return graph.op("Add", {graph.op("Sigmoid", {a}), graph.op("Tanh", {b})});
  };
  OneOutput same;
  CHECK(count_after_merging(same, "Multiply", swish(same, 2, 2)) == 1);
  OneOutput other_constant;
  CHECK(count_after_merging(other_constant, "Multiply", swish(other_constant, 2, 3)) == 2);
  const auto axes = [](OneOutput& graph, std::int64_t second) {
    const Value a = graph.op("SoftMax", {graph.x}, {{"axis", 1}});
    const Value b = graph.op("SoftMax", {graph.x}, {{"axis", second}});
    return graph.op("Multiply", {graph.op("Sqrt", {a}), graph.op("Exp", {b})});
  };
  OneOutput same_axis;
  CHECK(count_after_merging(same_axis, "SoftMax", axes(same_axis, 1)) == 1);
  OneOutput other_axis;
  CHECK(count_after_merging(other_axis, "SoftMax", axes(other_axis, 2)) == 2);
}

TEST_CASE("merge_equal_nodes: what is equal by its bytes alone", "[passes]") {
  OneOutput types;
  const Value whole = types.builder.integer(0);
  const Value narrow = types.builder.integer(0, ir::ElementType::i32);
  const Value one = types.op("Convert", {whole}, {{"destination_type", f32}});
  const Value other = types.op("Convert", {narrow}, {{"destination_type", f32}});
  CHECK(count_after_merging(types, "Const", types.op("Add", {one, other})) == 2);
  OneOutput large;
  const std::vector<double> numbers(24, 1.5);
  const auto weights = [&] {
    return large.builder.numbers(numbers, std::vector<std::int64_t>{2, 3, 4}, f32);
  };
  const Value sum = large.op("Add", {large.op("Add", {large.x, weights()}), weights()});
  CHECK(count_after_merging(large, "Const", sum) == 2);
}

TEST_CASE("merge_equal_nodes: more nodes than its table begins with") {
  OneOutput many;
  Value sum = many.x;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) sum = many.op("Add", {sum, many.number(i)});
  }
  CHECK(count_after_merging(many, "Const", sum) == 100);
}

TEST_CASE("merge_equal_nodes: random numbers and outputs stay as they are", "[passes]") {
  OneOutput random;
  const auto noise = [&] {
    return random.op(
        "RandomUniform", {random.builder.integers({2, 3, 4}), random.number(0), random.number(1)},
        {{"output_type", f32}, {"global_seed", 1}, {"op_seed", 1}, {"alignment", std::string("tensorflow")}});
  };
  CHECK(count_after_merging(random, "RandomUniform", random.op("Add", {noise(), noise()})) == 2);
  OneOutput outputs;
  outputs.builder.result(outputs.op("Sqrt", {outputs.x}));
  CHECK(count_after_merging(outputs, "Sqrt", outputs.op("Sqrt", {outputs.x})) == 2);
}
