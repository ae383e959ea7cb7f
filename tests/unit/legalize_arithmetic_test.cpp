// The passes legalize_arithmetic and legalize_data_movement: which operations they replace, and that nothing
// is left to replace in a second run.
#include "catch.hpp"
#include "ir/builder.hpp"
#include "passes/passes.hpp"
#include "target/faults.hpp"

using namespace onnx2ir;
using ir::ElementType;
using ir::Value;

namespace {

using PassFunction = bool (*)(ir::Model&, passes::PassContext&);

struct Legalized {
  ir::Model model;
  ir::Builder builder{model.graph};

  Value parameter(ElementType type, ir::PartialShape shape = {2, 3}) {
    return builder.parameter(type, std::move(shape));
  }
  /// The operation that gives the output after `pass`.
  std::string after(PassFunction pass, Value output) {
    const ir::Node& result = builder.result(output);
    passes::PassContext context;
    pass(model, context);
    model.graph.remove_dead_nodes();
    CHECK_FALSE(pass(model, context));
    return std::string(result.input(0).node->op().name);
  }
};

}  // namespace

TEST_CASE("legalize_arithmetic: comparisons of floating-point numbers are turned round", "[passes]") {
  const auto type = GENERATE(ElementType::f32, ElementType::i32);
  Legalized graph;
  const Value a = graph.parameter(type);
  const Value greater = graph.builder.op("Greater", {a, graph.parameter(type)});
  CHECK(graph.after(passes::legalize_arithmetic, greater) == (type == ElementType::f32 ? "Less" : "Greater"));
}

TEST_CASE("legalize_arithmetic: 8-bit integers are computed in 32 bits", "[passes]") {
  const auto type = GENERATE(ElementType::u8, ElementType::i8, ElementType::i16);
  const std::string op = GENERATE("Add", "Multiply", "FloorMod");
  Legalized graph;
  const Value result = graph.builder.op(op, {graph.parameter(type), graph.parameter(type)});
  CHECK(graph.after(passes::legalize_arithmetic, result) == (type == ElementType::i16 ? op : "Convert"));
}

TEST_CASE("legalize_arithmetic: integer powers become multiplications", "[passes]") {
  const std::int64_t exponent = GENERATE(1, 2, 3, 16, 17, 0);
  Legalized graph;
  const Value base = graph.parameter(ElementType::i32);
  const Value power = graph.builder.op("Power", {base, graph.builder.integer(exponent, ElementType::i32)});
  const std::string op = graph.after(passes::legalize_arithmetic, power);
  if (exponent == 1) CHECK(op == "Parameter");
  if (exponent > 1 && exponent <= 16) CHECK(op == "Multiply");
  if (exponent == 0 || exponent > 16) CHECK(op == "Power");
}

TEST_CASE("legalize_arithmetic: ReLU of integers, shifts of narrow integers", "[passes]") {
  Legalized relu;
  const Value x = relu.parameter(ElementType::i32);
  CHECK(relu.after(passes::legalize_arithmetic, relu.builder.op("ReLU", {x})) == "Maximum");
  Legalized shift;
  const Value y = shift.parameter(ElementType::i16);
  const Value shifted = shift.builder.op("BitwiseLeftShift", {y, shift.parameter(ElementType::i16)});
  CHECK(shift.after(passes::legalize_arithmetic, shifted) == "Convert");
}

TEST_CASE("legalize_arithmetic: a target without the fault keeps the operation", "[passes]") {
  Legalized graph;
  const Value x = graph.parameter(ElementType::i16);
  graph.builder.result(graph.builder.op("BitwiseLeftShift", {x, graph.parameter(ElementType::i16)}));
  passes::PassContext context;
  context.target = target::Target({target::kNewestRelease, target::kNewestRelease});
  REQUIRE_FALSE(context.target.has(target::Fault::narrow_shifts));
  CHECK_FALSE(passes::legalize_arithmetic(graph.model, context));
}

TEST_CASE("legalize_data_movement: Tile with dynamic repeats", "[passes]") {
  Legalized graph;
  const std::int64_t rank = GENERATE(3, 4);
  const ir::PartialShape shape = rank == 3 ? ir::PartialShape{2, 3, 5} : ir::PartialShape{2, 3, 4, 5};
  const Value x = graph.parameter(ElementType::f32, shape);
  const Value repeats = graph.parameter(ElementType::i64, {rank});
  const Value tiled = graph.builder.op("Tile", {x, repeats});
  CHECK(graph.after(passes::legalize_data_movement, tiled) == (rank == 3 ? "Tile" : "Reshape"));
}

TEST_CASE("legalize_data_movement: Gather without indices, Pad with a dynamic value", "[passes]") {
  Legalized gather;
  const Value none = gather.builder.integers(std::vector<std::int64_t>{});
  const Value gathered = gather.builder.op(
      "Gather", {gather.parameter(ElementType::f32), none, gather.builder.integer(1)}, {{"batch_dims", 0}});
  CHECK(gather.after(passes::legalize_data_movement, gathered) == "Slice");

  Legalized pad;
  const bool is_constant = GENERATE(false, true);
  const Value value =
      is_constant ? pad.builder.number(7, ElementType::f32) : pad.parameter(ElementType::f32, {});
  const Value ones = pad.builder.integers({1, 1});
  const Value padded = pad.builder.op("Pad", {pad.parameter(ElementType::f32), ones, ones, value},
                                      {{"pad_mode", std::string("constant")}});
  CHECK(pad.after(passes::legalize_data_movement, padded) == (is_constant ? "Pad" : "Select"));
}
