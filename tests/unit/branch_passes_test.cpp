// Passes over If nodes.
#include "catch.hpp"
#include "frontend/translators/onnx/if_builder.hpp"
#include "ir/builder.hpp"
#include "ir/inference.hpp"
#include "passes/passes.hpp"

using namespace onnx2ir;
using ir::Value;

namespace {

/// An If in `graph` that passes on one value or another.
Value add_choice(ir::Graph& graph, ir::ElementType type, const ir::PartialShape& shape) {
  ir::Builder builder(graph);
  const Value inputs[] = {builder.parameter(ir::ElementType::boolean, {}), builder.parameter(type, shape),
                          builder.parameter(type, shape)};
  ir::Node& choice = graph.add(ir::find_op("If"), inputs, 1);
  ir::IfBranches branches;
  std::uint32_t input = 1;
  for (ir::Branch* branch : {&branches.then_branch, &branches.else_branch}) {
    branch->graph = std::make_unique<ir::Graph>();
    ir::Builder inner(*branch->graph);
    const Value parameter = inner.parameter(type, shape);
    branch->invariants.push_back({input++, parameter.node});
    branch->results.push_back(&inner.result(parameter));
  }
  choice.set_payload(std::move(branches));
  ir::infer(choice);
  return choice.value();
}

/// Whether an If goes into a loop whose output a model hands out, directly or behind an Abs.
bool goes_into_loop(ir::ElementType type, const ir::PartialShape& shape, bool directly) {
  ir::Model model;
  ir::Builder builder(model.graph);
  const Value chosen = add_choice(model.graph, type, shape);
  ir::Node& result = builder.result(directly ? chosen : builder.op("Abs", {chosen}));
  passes::PassContext context;
  const bool modified = passes::run_branches_in_loops(model, context);
  CHECK_FALSE(passes::run_branches_in_loops(model, context));
  const Value handed_out = result.input(0);
  CHECK((directly ? handed_out : handed_out.node->input(0)).node->is(modified ? "Loop" : "If"));
  return modified;
}

}  // namespace

TEST_CASE("run_branches_in_loops", "[passes]") {
  using ir::ElementType;
  CHECK(goes_into_loop(ElementType::f32, {-1, 2}, false));
  CHECK(goes_into_loop(ElementType::i32, {-1, 2}, false));
  CHECK_FALSE(goes_into_loop(ElementType::f32, {3, 2}, false));
  // Model outputs: those that the runtime converts are read by the conversion.
  CHECK_FALSE(goes_into_loop(ElementType::f32, {-1, 2}, true));
  CHECK_FALSE(goes_into_loop(ElementType::u8, {-1, 2}, true));
  CHECK(goes_into_loop(ElementType::i64, {-1, 2}, true));
  CHECK(goes_into_loop(ElementType::boolean, {-1, 2}, true));
}

TEST_CASE("run_branches_in_loops: behind an If that reads strings stands a Loop that copies", "[passes]") {
  ir::Model model;
  ir::Builder builder(model.graph);
  const Value texts = builder.parameter(ir::ElementType::string, {-1});
  const Value condition = builder.parameter(ir::ElementType::boolean, {});
  const auto write = [](ir::Builder& branch, const frontend::Values& inner) {
    return frontend::Values{branch.node("StringTensorUnpack", {inner[0]}, {}, 3).value(0)};
  };
  const Value begins = frontend::choose(builder, condition, {texts}, write, write)[0];
  ir::Node& result = builder.result(builder.op("Abs", {begins}));
  passes::PassContext context;
  CHECK(passes::run_branches_in_loops(model, context));
  CHECK_FALSE(passes::run_branches_in_loops(model, context));
  const ir::Node& copy = *result.input(0).node->input(0).node;
  REQUIRE(copy.loop() != nullptr);
  CHECK(copy.input(2).node->is("If"));
}
