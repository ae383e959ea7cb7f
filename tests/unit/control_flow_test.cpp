#include "ir/control_flow.hpp"

#include <algorithm>

#include "catch.hpp"
#include "ir/inference.hpp"
#include "ir/verifier.hpp"

using namespace onnx2ir::ir;
namespace ops = onnx2ir::ops;

namespace {

constexpr auto kF32 = ElementType::f32;

/// Two states of which each takes the sum of itself and an invariant, their final values and rows of the
/// first: a -> a + w, b -> b + w.
struct Sums {
  Graph graph;
  Builder outer{graph};
  Value count = outer.parameter(ElementType::i64, PartialShape::scalar());
  Value x = outer.parameter(kF32, PartialShape{1, 2});
  Value starts = outer.boolean(true);
  LoopView loop = add_loop(outer, count, starts, graph.make_body());

  Sums() {
    Builder body(loop.graph());
    loop.body().condition = &body.result(body.boolean(true));
    const Value a = body.parameter(kF32, PartialShape{1, 2});
    const Value b = body.parameter(kF32, PartialShape{1, 2});
    const Value w = add_invariant(loop.node(), loop.body(), x);
    Node& next_a = body.result(body.op(ops::Add, {a, w}));
    Node& next_b = body.result(body.op(ops::Add, {b, w}));
    loop.add_state(x, *a.node, next_a);
    loop.add_state(x, *b.node, next_b);
    for (Carried& state : loop.states()) outer.result(loop.add_output(state));
    outer.result(loop.output(loop.add_scan(next_a, 0)));
    infer(loop.node());
  }

  bool is_valid() {
    infer(graph);
    return verify(graph).empty();
  }
  void unuse_output(std::size_t index) { graph.remove(*graph.results()[index]); }
};

bool is_first(const Carried& state) {
  return state.input == LoopView::kFirstMapped + 1;  // after the invariant
}

}  // namespace

TEST_CASE("a LoopView names the ports of a loop") {
  Sums sums;
  const LoopView loop = sums.loop;
  CHECK(sums.is_valid());
  CHECK(loop.trip_count() == sums.count);
  CHECK(loop.condition() == sums.starts);
  CHECK(known_scalar(loop.next_condition()) == 1);
  CHECK(loop.outer(loop.states()[1]) == sums.x);
  CHECK(loop.outer(loop.body().invariants[0]) == sums.x);
  CHECK(loop.output(loop.states()[1]) == Value{&loop.node(), 1});
  CHECK(loop.output(loop.scans()[0]).shape() == PartialShape{Dimension(), 2});
  CHECK_FALSE(loop.output(Carried{}));
}

TEST_CASE("a LoopView returns the number of iterations of a loop") {
  Sums sums;
  const LoopView loop = sums.loop;
  const auto with = [&](std::int64_t count, bool starts) {
    loop.set_trip_count(sums.outer.integer(count));
    loop.set_condition(sums.outer.boolean(starts));
  };
  CHECK_FALSE(loop.iterations());
  CHECK_FALSE(loop.runs_at_least_once());
  CHECK_FALSE(loop.never_runs());
  loop.set_trip_count(sums.outer.op(ops::Maximum, {sums.count, sums.outer.integer(1)}));
  CHECK(loop.runs_at_least_once());
  loop.set_trip_count(sums.count);
  loop.node().notes.add(Note::known_to_run);
  CHECK(loop.runs_at_least_once());
  CHECK_FALSE(loop.iterations());
  loop.node().notes = {};
  with(3, true);
  CHECK(loop.iterations() == 3);
  CHECK(loop.runs_at_least_once());
  with(3, false);
  CHECK(loop.iterations() == 0);
  CHECK(loop.never_runs());
  with(LoopView::kUnlimited, true);
  CHECK_FALSE(loop.iterations());
  CHECK(loop.runs_at_least_once());
  loop.body().condition->set_input(0, Builder(loop.graph()).boolean(false));
  CHECK(loop.iterations() == 1);
}

TEST_CASE("unused outputs of a loop are removed, and its states are kept") {
  Sums sums;
  sums.unuse_output(2);
  sums.unuse_output(0);
  CHECK(sums.loop.remove_unused_outputs());
  CHECK_FALSE(sums.loop.remove_unused_outputs());
  CHECK(sums.loop.states().size() == 2);
  CHECK(sums.loop.scans().empty());
  CHECK(sums.loop.states()[1].output == 0U);
  // The Result of the rows is the next value of a state, too.
  CHECK(sums.loop.graph().results().size() == 3);
  CHECK(sums.is_valid());
}

TEST_CASE("removing a state removes its ports and its nodes") {
  Sums sums;
  sums.unuse_output(2);
  sums.unuse_output(0);
  sums.loop.remove_unused_outputs();
  CHECK(sums.loop.remove_states(is_first));
  CHECK_FALSE(sums.loop.remove_states([](const Carried&) { return false; }));
  CHECK(sums.loop.states().size() == 1);
  CHECK(sums.loop.outer(sums.loop.states()[0]) == sums.x);
  CHECK(sums.loop.graph().parameters().size() == 2);
  CHECK(sums.loop.graph().results().size() == 2);
  CHECK(sums.is_valid());
}

TEST_CASE("a state becomes invariant") {
  Sums sums;
  sums.unuse_output(0);
  CHECK(sums.loop.make_invariant(is_first));
  CHECK(sums.loop.states().size() == 1);
  CHECK(sums.loop.body().invariants.size() == 2);
  CHECK(sums.loop.scans().size() == 1);
  CHECK(sums.is_valid());
}

TEST_CASE("a value of a body becomes an output of its loop") {
  Sums sums;
  const Value last = sums.loop.add_last_value(sums.loop.states()[0].parameter->value());
  sums.outer.result(last);
  CHECK(last.index == 3);
  CHECK(sums.is_valid());
  CHECK(last.shape() == PartialShape{1, 2});
}

TEST_CASE("unused invariants are removed, and is_read() finds unused captures") {
  Sums sums;
  const Value unused = sums.outer.parameter(kF32, PartialShape{3});
  const Value parameter = add_invariant(sums.loop.node(), sums.loop.body(), unused);
  CHECK_FALSE(is_read(unused));
  CHECK(is_read(sums.x));
  CHECK(is_read(sums.count));
  CHECK(is_read(sums.starts));
  CHECK_FALSE(is_read(parameter));
  CHECK(remove_unused_captures(sums.loop.node()));
  CHECK_FALSE(remove_unused_captures(sums.loop.node()));
  CHECK(sums.loop.body().invariants.size() == 1);
  CHECK(sums.is_valid());
}

TEST_CASE("add_if() creates an If from functions that emit its branches") {
  Graph graph;
  Builder outer(graph);
  const Value condition = outer.parameter(ElementType::boolean, PartialShape::scalar());
  const Value x = outer.parameter(kF32, PartialShape{2});
  const Value y = outer.parameter(kF32, PartialShape{2});
  outer.set_name("choice");
  const IfView if_view = add_if(
      outer, condition, {x, y},
      [](Builder&, const Values& inner) {
        return Values{inner[0], inner[0]};
      },
      [](Builder& branch, const Values& inner) {
        return Values{branch.op(ops::Abs, {inner[0]}), inner[1]};
      });
  outer.result(if_view.node().value(1));
  CHECK(if_view.node().name == "choice");
  CHECK(if_view.condition() == condition);
  CHECK(if_view.then_branch().invariants.size() == 1);
  CHECK(if_view.else_branch().invariants.size() == 2);
  CHECK(if_view.results(0)[1]->input(0).node->is(ops::Abs));
  CHECK(verify(graph).empty());

  CHECK(if_view.remove_unused_outputs());
  CHECK(if_view.node().outputs().size() == 1);
  CHECK(if_view.else_branch().graph->nodes().size() == 3);  // without the Abs
  CHECK(remove_unused_captures(if_view.node()));
  remove_unmapped_inputs(if_view.node());
  CHECK(if_view.node().inputs().size() == 3);
  CHECK(verify(graph).empty());
}

TEST_CASE("control flow moves to another graph with its bodies") {
  Graph graph;
  Builder outer(graph);
  const Value condition = outer.parameter(ElementType::boolean, PartialShape::scalar());
  const Value x = outer.parameter(kF32, PartialShape{2});
  const auto same = [](Builder&, const Values& inner) { return Values{inner[0]}; };
  const IfView if_view = add_if(outer, condition, {x}, same, same);
  Graph other;
  Builder builder(other);
  const Value elsewhere = builder.parameter(ElementType::boolean, PartialShape::scalar());
  const Value y = builder.parameter(kF32, PartialShape{5});
  Node& moved = move_control_flow(builder, if_view.node(), {elsewhere, y});
  graph.remove(if_view.node());
  builder.result(moved.value());
  CHECK(moved.output(0).shape == PartialShape{5});
  CHECK(verify(graph).empty());
  CHECK(verify(other).empty());
}
