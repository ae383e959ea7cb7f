#include "ir/verifier.hpp"

#include "catch.hpp"
#include "ir/builder.hpp"

using namespace onnx2ir::ir;

TEST_CASE("the verifier finds what is produced later, and sort() mends it") {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.parameter(ElementType::f32, PartialShape{2});
  const Value first = builder.op("Add", {x, x});
  const Value second = builder.op("Add", {x, x});
  builder.result(first);
  CHECK(verify(graph).empty());
  first.node->set_input(1, second);
  const auto problems = verify(graph);
  REQUIRE(problems.size() == 1);
  CHECK(problems.front() == "Add '': input 1 is produced later");
  graph.sort();
  CHECK(verify(graph).empty());
}
