#include "ir/graph.hpp"

#include <set>

#include "catch.hpp"
#include "ir/builder.hpp"

using namespace onnx2ir::ir;
namespace ops = onnx2ir::ops;

TEST_CASE("the nodes of a graph and its bodies share one storage, places are used again") {
  std::unique_ptr<Graph> body;
  {
    Graph graph;
    Builder builder(graph);
    body = graph.make_body();
    Builder inner(*body);
    const Value x = inner.parameter(ElementType::f32, PartialShape{2});
    std::set<const Node*> places;
    for (int i = 0; i < 1000; ++i) {
      places.insert(builder.integer(i).node);
      places.insert(inner.op(ops::Abs, {x}).node);
    }
    CHECK(places.size() == 2000);
    CHECK(graph.remove_dead_nodes() == 1000);
    CHECK(graph.nodes().empty());
    CHECK(body->nodes().size() == 1001);
    std::size_t reused = 0;
    for (int i = 0; i < 1000; ++i) reused += places.count(builder.integer(i).node);
    CHECK(reused == 1000);
  }
  // The storage lives as long as one of its graphs.
  CHECK(body->remove_dead_nodes() == 1000);
  CHECK(body->parameters().front()->value().shape() == PartialShape{2});
}

TEST_CASE("a node knows its attributes in the order of the descriptor") {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.parameter(ElementType::f32, PartialShape{2, 3});
  CHECK(x.node->attributes().empty());
  CHECK(x.node->find_attribute("axis") == nullptr);
  const Value a = builder.op(ops::MatMul, {x, x}, {{"transpose_b", true}, {"transpose_a", false}});
  REQUIRE(a.node->attributes().size() == 2);
  CHECK(a.node->attributes()[0].name == "transpose_a");
  CHECK(a.node->boolean("transpose_b"));
}
