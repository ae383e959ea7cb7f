// Passes over If nodes.
#include "catch.hpp"
#include "ir/builder.hpp"
#include "ir/inference.hpp"
#include "passes/passes.hpp"

using namespace onnx2ir;
using ir::Value;

namespace {

/// A model whose output is an If that passes on one value or another.
ir::Node& add_choice(ir::Model& model, ir::ElementType type, const ir::PartialShape& shape) {
  ir::Builder builder(model.graph);
  const Value inputs[] = {builder.parameter(ir::ElementType::boolean, {}), builder.parameter(type, shape),
                          builder.parameter(type, shape)};
  ir::Node& choice = model.graph.add(ir::find_op("If"), inputs, 1);
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
  builder.result(choice.value());
  return choice;
}

}  // namespace

TEST_CASE("widen_branch_outputs", "[passes]") {
  using ir::ElementType;
  passes::PassContext context;
  for (const ElementType type : {ElementType::boolean, ElementType::u8, ElementType::i8}) {
    ir::Model model;
    const ir::Node& choice = add_choice(model, type, {-1, 2});
    REQUIRE(passes::widen_branch_outputs(model, context));
    CHECK(choice.output(0).type == ElementType::i32);
    const ir::Node& read = *model.graph.results()[0]->input(0).node;
    CHECK(read.is("Convert"));
    CHECK(read.output(0).type == type);
    CHECK_FALSE(passes::widen_branch_outputs(model, context));
  }
  ir::Model wide;
  add_choice(wide, ElementType::f32, {-1, 2});
  CHECK_FALSE(passes::widen_branch_outputs(wide, context));
  ir::Model fixed;
  add_choice(fixed, ElementType::boolean, {3, 2});
  CHECK_FALSE(passes::widen_branch_outputs(fixed, context));
}
