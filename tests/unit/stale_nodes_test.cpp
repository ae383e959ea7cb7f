// After a change, inference visits the nodes that the change concerns, and no others.
#include "catch.hpp"
#include "ir/inference.hpp"
#include "ir/text/parser.hpp"

using namespace onnx2ir;

namespace {

constexpr const char* kChain = R"(model "chain"
%x = Parameter : f32[2,3] "x"
%a = ReLU(%x)
%b = Abs(%a)
%c = ShapeOf(%b) {output_type=i64}
%r = Result(%c)
)";

constexpr const char* kLoop = R"(model "loop"
%n = Const : i64[] = 4
%go = Const : boolean[] = true
%x = Parameter : f32[2] "x"
%y = Loop(%n, %go, %x) {
  condition %more
  carried %s = input 2: %x, back_edge %t, output 0
  %s = Parameter : f32[2]
  %u = ReLU(%s)
  %t = Result(%u)
  %yes = Const : boolean[] = true
  %more = Result(%yes)
}
%r = Result(%y)
)";

ir::Node& node(ir::Graph& graph, ir::Op op) {
  for (const auto& owned : graph.nodes()) {
    if (owned->is(op)) return *owned;
  }
  FAIL("the graph has no such node");
  return *graph.nodes().front();
}

std::vector<std::string> stale_operations(const ir::Graph& graph) {
  std::vector<std::string> names;
  for (const auto& owned : graph.nodes()) {
    if (owned->is_stale) names.emplace_back(owned->op().name);
  }
  return names;
}

}  // namespace

TEST_CASE("no node of a parsed model is stale after inference") {
  const auto model = ir::parse_text(kChain);
  ir::infer_stale(model->graph);
  CHECK(stale_operations(model->graph).empty());
}

TEST_CASE("the readers of a value become stale if its shape changes, and the nodes after them in turn") {
  const auto model = ir::parse_text(kChain);
  ir::infer_stale(model->graph);
  ir::declare_output(node(model->graph, ops::Parameter), 0, ir::ElementType::f32, ir::PartialShape{2, 3, 4});
  CHECK(stale_operations(model->graph) == std::vector<std::string>{"ReLU"});
  ir::infer_stale(model->graph);
  CHECK(stale_operations(model->graph).empty());
  CHECK(node(model->graph, ops::Abs).output(0).shape.rank() == 3);
  CHECK(ir::exact_values(node(model->graph, ops::ShapeOf).value()) == ir::Integers{2, 3, 4});
}

TEST_CASE("inference ends at a node whose output stays the same") {
  const auto model = ir::parse_text(kChain);
  ir::infer_stale(model->graph);
  ir::Node& relu = node(model->graph, ops::ReLU);
  ir::Node& abs = node(model->graph, ops::Abs);
  abs.set_input(0, relu.input(0));
  CHECK(stale_operations(model->graph) == std::vector<std::string>{"Abs"});
  ir::infer(abs);
  CHECK(stale_operations(model->graph).empty());
}

TEST_CASE("a stale node in a body is inferred, and its loop with it") {
  const auto model = ir::parse_text(kLoop);
  ir::infer_stale(model->graph);
  ir::Node& loop = node(model->graph, ops::Loop);
  ir::declare_output(node(model->graph, ops::Parameter), 0, ir::ElementType::f32, ir::PartialShape{7});
  ir::infer_stale(model->graph);
  CHECK(loop.output(0).shape == ir::PartialShape{7});
  CHECK(node(*loop.loop()->graph, ops::ReLU).output(0).shape == ir::PartialShape{7});
  CHECK(stale_operations(*loop.loop()->graph).empty());
}
