// Loops that become their iterations when that is asked for, and those that must not.
#include "one_loop.hpp"

using namespace onnx2ir;
using namespace onnx2ir::test;

namespace {

bool unroll(ir::Model& model) {
  passes::PassContext context;
  context.unroll_loops = true;
  return passes::unroll_short_loops(model, context);
}

/// Two states that change places, one with the iteration number added, which is stacked too.
void fill_with_swap(OneLoop& loop, Value next_condition) {
  const Value a = loop.state(loop.builder.parameter(f32, {2}));
  const Value b = loop.state(loop.builder.parameter(f32, {2}));
  const Value i = loop.body.parameter(ir::ElementType::i64, ir::PartialShape::of_rank(0));
  loop.loop.iteration = i.node;
  const Value number = loop.body.op("Convert", {i}, {{"destination_type", f32}});
  const Value next = loop.body.op("Add", {a, number});
  loop.set_next(0, b);
  loop.set_next(1, next);
  loop.scan(next);
  loop.finish(next_condition);
}

bool holds(const ir::Graph& graph, std::string_view op) {
  return std::ranges::any_of(graph.nodes(), [&](const auto& node) { return node->is(op); });
}

}  // namespace

TEST_CASE("short loops become their iterations", "[passes]") {
  OneLoop loop(times<3>, yes);
  fill_with_swap(loop, loop.body.boolean(true));
  REQUIRE(unroll(loop.model));
  loop.model.graph.remove_dead_nodes();
  loop.model.graph.sort();
  ir::infer(loop.model.graph);
  CHECK_FALSE(holds(loop.model.graph, "Loop"));
  // a, b -> b, a + 0 -> a + 0, b + 1 -> b + 1, a + 0 + 2
  const ir::Node& last_a = loop.source(0);
  const ir::Node& last_b = loop.source(1);
  const auto& parameters = loop.model.graph.parameters();
  CHECK(last_a.input(0).node == parameters[1]);
  CHECK(last_b.input(0).node->input(0).node == parameters[0]);
  const ir::Node& rows = loop.source(2);
  CHECK(rows.is("Concat"));
  CHECK(rows.output(0).shape == ir::PartialShape{3, 2});
  CHECK_FALSE(unroll(loop.model));
}

TEST_CASE("only loops that end by their count, and are small, are unrolled", "[passes]") {
  SECTION("not unless asked for") {
    OneLoop loop(times<3>, yes);
    fill_with_swap(loop, loop.body.boolean(true));
    CHECK_FALSE(loop.run(passes::unroll_short_loops));
  }
  SECTION("not with a count known at run time") {
    OneLoop loop(any_times, yes);
    fill_with_swap(loop, loop.body.boolean(true));
    CHECK_FALSE(unroll(loop.model));
  }
  SECTION("not with a condition") {
    OneLoop loop(times<3>, perhaps);
    fill_with_swap(loop, loop.body.boolean(true));
    CHECK_FALSE(unroll(loop.model));
  }
  SECTION("not with a condition of the body's own") {
    OneLoop loop(times<3>, yes);
    fill_with_swap(loop, loop.invariant(perhaps(loop.builder)));
    CHECK_FALSE(unroll(loop.model));
  }
  SECTION("not with many iterations") {
    OneLoop loop(times<1000>, yes);
    fill_with_swap(loop, loop.body.boolean(true));
    CHECK_FALSE(unroll(loop.model));
  }
}
