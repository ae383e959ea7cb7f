// Node::is_computed_from_constants() after each kind of edit.
#include "catch.hpp"
#include "ir/builder.hpp"
#include "ir/verifier.hpp"

namespace onnx2ir::ir {
namespace {

TEST_CASE("nodes know whether they are computed from constants alone, also after edits") {
  Graph graph;
  Builder builder(graph);
  const Value input = builder.parameter(ElementType::f32, PartialShape{2});
  const Value constant = builder.number(1, ElementType::f32);
  Value sum = constant;
  for (int i = 0; i < 100; ++i) sum = builder.op(ops::Add, {sum, constant});
  const Value last = builder.op(ops::Negative, {sum});
  builder.result(builder.op(ops::Add, {last, input}));
  CHECK(is_computed_from_constants(constant));
  CHECK(is_computed_from_constants(last));
  CHECK_FALSE(is_computed_from_constants(input));

  // An input far above.
  Node& first = *graph.nodes()[2];
  REQUIRE(first.is(ops::Add));
  first.set_input(1, input);
  CHECK_FALSE(is_computed_from_constants(last));
  CHECK(verify(graph).empty());
  first.set_input(1, constant);
  CHECK(is_computed_from_constants(last));

  replace_all_uses(sum, input);
  CHECK_FALSE(is_computed_from_constants(last));
  CHECK(verify(graph).empty());
}

TEST_CASE("a node with several variable inputs is constant when the last one is") {
  Graph graph;
  Builder builder(graph);
  const Value input = builder.parameter(ElementType::i64, PartialShape{2});
  const Value constant = builder.integers({1});
  const Value joined = builder.op(ops::Concat, {input, input, constant}, {{"axis", 0}});
  const Value last = builder.op(ops::Negative, {joined});
  joined.node->set_input(0, constant);
  CHECK_FALSE(is_computed_from_constants(last));
  joined.node->set_input(1, constant);
  CHECK(is_computed_from_constants(last));
  joined.node->add_input(input);
  CHECK_FALSE(is_computed_from_constants(last));
  joined.node->remove_input(3);
  CHECK(is_computed_from_constants(last));
  joined.node->remove_inputs();
  CHECK_FALSE(is_computed_from_constants(last));
  joined.node->add_input(constant);
  CHECK(is_computed_from_constants(last));
}

TEST_CASE("random numbers are not computed from constants") {
  Graph graph;
  Builder builder(graph);
  const Value random = builder.op(
      ops::RandomUniform,
      {builder.integers({1}), builder.number(0, ElementType::f32), builder.number(1, ElementType::f32)},
      {{"output_type", ElementType::f32}, {"global_seed", 0}, {"op_seed", 0}, {"alignment", "tensorflow"}});
  CHECK_FALSE(is_computed_from_constants(random));
  CHECK_FALSE(is_computed_from_constants(builder.op(ops::Negative, {random})));
}

}  // namespace
}  // namespace onnx2ir::ir
