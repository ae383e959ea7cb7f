// merge_equal_nodes on more nodes than the initial size of its table; tests/passes has the other cases.
#include <algorithm>

#include "catch.hpp"
#include "ir/builder.hpp"
#include "passes/passes.hpp"

using namespace onnx2ir;

TEST_CASE("merge_equal_nodes grows its table", "[passes]") {
  constexpr auto f32 = ir::ElementType::f32;
  ir::Model model;
  ir::Builder builder(model.graph);
  ir::Value sum = builder.parameter(f32, {2, 3, 4});
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) sum = builder.op(ops::Add, {sum, builder.number(i, f32)});
  }
  builder.result(sum);
  passes::PassContext context;
  CHECK(passes::merge_equal_nodes(model, context));
  model.graph.remove_dead_nodes();
  CHECK(std::ranges::count_if(model.graph.nodes(), [](const auto& node) { return node->is(ops::Const); }) ==
        100);
}
