// Passes over If nodes.
#include "catch.hpp"
#include "ir/builder.hpp"
#include "ir/inference.hpp"
#include "passes/if_builder.hpp"
#include "passes/passes.hpp"

using namespace onnx2ir;
using ir::Value;

namespace {

/// An If in `graph` that passes on one value or another.
Value add_selection(ir::Graph& graph, ir::ElementType type, const ir::PartialShape& shape) {
  ir::Builder builder(graph);
  const Value condition = builder.parameter(ir::ElementType::boolean, {});
  const passes::Values values{builder.parameter(type, shape), builder.parameter(type, shape)};
  const auto pick = [](std::size_t i) {
    return [i](ir::Builder&, const passes::Values& inner) { return passes::Values{inner[i]}; };
  };
  return passes::add_choice(builder, condition, values, pick(0), pick(1)).value();
}

/// Whether an If goes into a loop whose output a model hands out, directly or behind an Abs.
bool goes_into_loop(ir::ElementType type, const ir::PartialShape& shape, bool directly) {
  ir::Model model;
  ir::Builder builder(model.graph);
  const Value chosen = add_selection(model.graph, type, shape);
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
  const auto write = [](ir::Builder& branch, const passes::Values& inner) {
    return passes::Values{branch.node("StringTensorUnpack", {inner[0]}, {}, 3).value(0)};
  };
  const Value begins = passes::add_choice(builder, condition, {texts}, write, write).value();
  ir::Node& result = builder.result(builder.op("Abs", {begins}));
  passes::PassContext context;
  CHECK(passes::run_branches_in_loops(model, context));
  CHECK_FALSE(passes::run_branches_in_loops(model, context));
  const ir::Node& copy = *result.input(0).node->input(0).node;
  REQUIRE(copy.loop() != nullptr);
  CHECK(copy.input(2).node->is("If"));
}

namespace {

/// Whether guard_empty_inputs puts an operation on a value of `shape` into an If. Run again it must change
/// nothing.
bool goes_into_if(std::string_view op, ir::ElementType type, const ir::PartialShape& shape,
                  ir::AttributeList attributes, std::size_t output_count) {
  ir::Model model;
  ir::Builder builder(model.graph);
  ir::Node& node = builder.node(op, {builder.parameter(type, shape)}, attributes, output_count);
  std::vector<ir::Node*> results;
  for (std::size_t i = 0; i < output_count; ++i) results.push_back(&builder.result(node.value(i)));
  passes::PassContext context;
  const bool modified = passes::guard_empty_inputs(model, context);
  CHECK_FALSE(passes::guard_empty_inputs(model, context));
  for (std::size_t i = 0; i < output_count; ++i) {
    const ir::Value given = results[i]->input(0);
    if (given.node->is("If")) CHECK(given.index == i);
  }
  return modified && results.back()->input(0).node->is("If");
}

}  // namespace

TEST_CASE("guard_empty_inputs", "[passes]") {
  using ir::ElementType;
  const auto unpack = [](const ir::PartialShape& shape) {
    return goes_into_if("StringTensorUnpack", ElementType::string, shape, {}, 3);
  };
  CHECK(unpack({-1}));
  CHECK(unpack({2, {0, 4}}));
  CHECK_FALSE(unpack({2, 3}));
  CHECK_FALSE(unpack({2, {1, 4}}));
  CHECK_FALSE(unpack(ir::PartialShape::scalar()));
  // Known to be empty: there is nothing to ask.
  CHECK_FALSE(unpack({2, 0}));
  const auto unique = [](const ir::PartialShape& shape) {
    return goes_into_if("Unique", ElementType::f32, shape,
                        {{"sorted", true},
                         {"index_element_type", ElementType::i64},
                         {"count_element_type", ElementType::i64}},
                        4);
  };
  CHECK(unique({-1, 2}));
  CHECK_FALSE(unique({3, 2}));
}
