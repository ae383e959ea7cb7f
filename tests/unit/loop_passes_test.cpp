// Passes over loops: each fires where it should, leaves alone what it must, and has nothing left to do when
// run again.
#include <limits>

#include "one_loop.hpp"

using namespace onnx2ir;
using namespace onnx2ir::test;

namespace {

/// sum = sum + step, and the sums as rows.
void fill_with_sum(OneLoop& loop, Value next_condition) {
  const Value initial = loop.builder.parameter(f32, {2});
  const Value sum = loop.state(initial);
  const Value next = loop.body.op("Add", {sum, loop.body.number(1, f32)});
  loop.set_next(0, next);
  loop.scan(next);
  loop.finish(next_condition);
}

}  // namespace

TEST_CASE("fold_zero_trip_loops", "[passes]") {
  const bool is_zero_trip = GENERATE(true, false);
  OneLoop loop(is_zero_trip ? times<0> : times<5>, is_zero_trip ? yes : no);
  fill_with_sum(loop, loop.body.boolean(true));
  CHECK(loop.run(passes::fold_zero_trip_loops));
  CHECK(loop.source(0).is("Parameter"));
  CHECK(loop.source(1).is("Const"));
  CHECK(loop.source(1).output(0).shape == ir::PartialShape{0, 2});
  OneLoop runs(any_times, yes);
  fill_with_sum(runs, runs.body.boolean(true));
  CHECK_FALSE(runs.run(passes::fold_zero_trip_loops));
}

TEST_CASE("fold_condition_into_trip_count", "[passes]") {
  OneLoop loop(times<5>, perhaps);
  fill_with_sum(loop, loop.body.boolean(true));
  CHECK(loop.run(passes::fold_condition_into_trip_count));
  CHECK(loop.node->input(0).node->is("Select"));
  CHECK(ir::exact_values(loop.node->input(1)) == std::vector<std::int64_t>{1});
  OneLoop early_exit(times<5>, perhaps);
  fill_with_sum(early_exit,
                early_exit.body.parameter(ir::ElementType::boolean, ir::PartialShape::of_rank(0)));
  CHECK_FALSE(early_exit.run(passes::fold_condition_into_trip_count));
}

TEST_CASE("move_invariants_out_of_bodies", "[passes]") {
  const bool always_runs = GENERATE(true, false);
  OneLoop loop(always_runs ? times<5> : any_times, yes);
  const Value outer = loop.builder.parameter(f32, {2, 2});
  const Value weight = loop.invariant(outer);
  const Value state = loop.state(outer);
  const Value scaled = loop.body.op("Multiply", {weight, loop.body.number(2, f32)});
  const Value product = loop.body.op("Exp", {scaled});
  loop.set_next(0, loop.body.op("Add", {state, product}));
  loop.finish(loop.body.boolean(true));
  CHECK(loop.run(passes::move_invariants_out_of_bodies));
  const ir::LoopBody& after = loop.after();
  const ir::Node& sum = *after.carried.front().result->input(0).node;
  REQUIRE(sum.is("Add"));
  CHECK(sum.input(1).node == after.invariants.back().parameter);
  const ir::Node& moved = *loop.node->input(after.invariants.back().input).node;
  CHECK(moved.is("Exp"));
  CHECK(moved.input(0).node->is("Multiply"));
  CHECK(moved.input(0).node->input(0) == outer);
  // The way in of what only moved nodes read is closed when unused invariants go.
  CHECK(after.invariants.size() == 2);
}

TEST_CASE("move_invariants_out_of_bodies leaves what changes, may fail or is known", "[passes]") {
  OneLoop loop(any_times, yes);
  const Value weight = loop.invariant(loop.builder.parameter(f32, {-1}));
  const Value shape = loop.body.op("ShapeOf", {weight}, {{"output_type", ir::ElementType::i64}});
  const Value rows = loop.invariant(loop.builder.parameter(f32, {3, 4}));
  const Value index = loop.invariant(loop.builder.parameter(ir::ElementType::i64, {2}));
  const Value state = loop.state(loop.builder.parameter(f32, {2}));
  // Lengths that do not fit would only be found out if the loop ran; so would an index out of range.
  const Value may_fail = loop.body.op("Add", {weight, weight});
  const Value gathered =
      loop.body.op("Gather", {rows, index, loop.body.integer(0)}, {{"batch_dims", std::int64_t{0}}});
  loop.set_next(0, loop.body.op("Exp", {state}));
  loop.scan(may_fail);
  loop.scan(gathered);
  loop.scan(shape);
  loop.finish(loop.body.boolean(true));
  CHECK_FALSE(loop.run(passes::move_invariants_out_of_bodies));

  OneLoop runs(times<5>, yes);
  const Value dynamic = runs.invariant(runs.builder.parameter(f32, {-1}));
  const Value sizes = runs.body.op("ShapeOf", {dynamic}, {{"output_type", ir::ElementType::i64}});
  const Value random =
      runs.body.op("RandomUniform", {sizes, runs.body.number(0, f32), runs.body.number(1, f32)},
                   {{"output_type", f32},
                    {"global_seed", std::int64_t{1}},
                    {"op_seed", std::int64_t{1}},
                    {"alignment", std::string("tensorflow")}});
  runs.scan(random);
  runs.finish(runs.body.boolean(true));
  CHECK_FALSE(runs.run(passes::move_invariants_out_of_bodies));
}

TEST_CASE("move_invariants_out_of_bodies leaves nested loops one after the other", "[passes]") {
  OneLoop outer(times<3>, yes);
  OneLoop inner(times<3>, yes);
  const Value weight = outer.builder.parameter(f32, {2});
  const Value outer_state = outer.state(weight);
  const Value outer_weight = outer.invariant(weight);
  inner.inputs = {outer.body.integer(3), outer.body.boolean(true)};
  const Value state = inner.state(outer_state);
  const Value inner_weight = inner.invariant(outer_weight);
  inner.set_next(0, inner.body.op("Add", {state, inner.body.op("Exp", {inner_weight})}));
  inner.loop.condition = &inner.body.result(inner.body.boolean(true));
  ir::Node& node = outer.body.graph().add(ir::find_op("Loop"), inner.inputs, 1);
  inner.loop.graph = std::move(inner.graph);
  node.set_payload(std::move(inner.loop));
  ir::infer(node);
  outer.set_next(0, node.value());
  outer.finish(outer.body.boolean(true));
  CHECK(outer.run(passes::move_invariants_out_of_bodies));
  const ir::Value moved = outer.node->input(outer.after().invariants.back().input);
  CHECK(moved.node->is("Exp"));
  CHECK(moved.node->input(0) == weight);
}

TEST_CASE("turn_appends_into_scans", "[passes]") {
  const bool starts_empty = GENERATE(true, false);
  OneLoop loop(times<5>, yes);
  const Value state = loop.state(loop.builder.parameter(f32, {2, 3}));
  const Value rows = loop.state(loop.builder.parameter(f32, {2, starts_empty ? 0 : 1}));
  ir::set_output(*rows.node, 0, f32, {2, -1});
  const Value next = loop.body.op("Exp", {state});
  loop.set_next(0, next);
  loop.set_next(1, loop.body.op("Concat", {rows, next}, {{"axis", std::int64_t{1}}}));
  loop.finish(loop.body.boolean(true));
  CHECK(loop.run(passes::turn_appends_into_scans));
  const ir::LoopBody& after = loop.after();
  CHECK(after.carried.size() == 1);
  REQUIRE(after.scans.size() == 1);
  CHECK(after.scans.front().axis == 1);
  CHECK(after.scans.front().part_size == 3);
  CHECK(loop.node->inputs().size() == 3);
  CHECK(loop.source(1).is(starts_empty ? "Loop" : "Concat"));
  CHECK(loop.model.graph.results()[1]->output(0).shape == ir::PartialShape{2, starts_empty ? 15 : 16});
}

TEST_CASE("turn_appends_into_scans leaves what is read, put in front or of unknown size", "[passes]") {
  OneLoop loop(times<5>, yes);
  const auto rows = [&](std::int64_t columns) {
    const Value state = loop.state(loop.builder.parameter(f32, {0, columns}));
    ir::set_output(*state.node, 0, f32, {-1, columns});
    return state;
  };
  const auto joined = [&](Value first, Value second) {
    return loop.body.op("Concat", {first, second}, {{"axis", std::int64_t{0}}});
  };
  const Value row = loop.invariant(loop.builder.parameter(f32, {1, 3}));
  const Value some_rows = loop.invariant(loop.builder.parameter(f32, {-1, 3}));
  const Value is_read = rows(3);
  loop.scan(loop.body.op("ReduceSum", {is_read, loop.body.integers({0})}, {{"keep_dims", false}}));
  loop.set_next(0, joined(is_read, row));
  loop.set_next(1, joined(row, rows(3)));
  loop.set_next(2, joined(rows(3), some_rows));
  const Value next_is_read = joined(rows(3), row);
  loop.scan(loop.body.op("ReduceSum", {next_is_read, loop.body.integers({0})}, {{"keep_dims", false}}));
  loop.set_next(3, next_is_read);
  loop.finish(loop.body.boolean(true));
  CHECK_FALSE(loop.run(passes::turn_appends_into_scans));
}

TEST_CASE("make_unchanged_states_invariant", "[passes]") {
  OneLoop loop(times<5>, yes);
  const Value weight = loop.builder.parameter(f32, {2});
  const Value unchanged = loop.state(weight);
  const Value sum = loop.state(weight);
  loop.set_next(0, unchanged);
  loop.set_next(1, loop.body.op("Add", {sum, unchanged}));
  loop.finish(loop.body.boolean(true));
  CHECK(loop.run(passes::make_unchanged_states_invariant));
  CHECK(loop.after().carried.size() == 1);
  CHECK(loop.after().invariants.size() == 1);
  CHECK(&loop.source(0) == weight.node);
  CHECK(&loop.source(1) == loop.node);
}

TEST_CASE("copy_passed_through_states: swapped states", "[passes]") {
  OneLoop loop(times<5>, yes);
  const Value a = loop.state(loop.builder.parameter(f32, {2}));
  const Value b = loop.state(loop.builder.parameter(f32, {2}));
  loop.set_next(0, b);
  loop.set_next(1, a);
  loop.finish(loop.body.boolean(true));
  CHECK(loop.run(passes::copy_passed_through_states));
  for (const ir::Carried& state : loop.after().carried) CHECK(state.result->input(0).node->is("Maximum"));
  OneLoop own(times<5>, yes);
  fill_with_sum(own, own.body.boolean(true));
  CHECK_FALSE(own.run(passes::copy_passed_through_states));
}

/// A loop whose one state grows by a row in each iteration; the rows' sums are scanned.
void fill_with_growing_state(OneLoop& loop, bool is_read) {
  const Value state = loop.state(loop.builder.parameter(f32, {1, 2}));
  state.node->output(0).shape = {ir::Dimension(), 2};
  const Value row = loop.invariant(loop.builder.parameter(f32, {1, 2}));
  const Value sum = loop.body.op("ReduceSum", {state, loop.body.integers({0, 1})}, {{"keep_dims", false}});
  loop.set_next(0, loop.body.op("Concat", {state, row}, {{"axis", 0}}), is_read);
  loop.scan(sum);
  loop.finish(loop.body.boolean(true));
}

TEST_CASE("hide_initial_shapes: changing shapes that a release of the target does not notice", "[passes]") {
  OneLoop unread(times<5>, yes);
  fill_with_growing_state(unread, false);
  CHECK(unread.run(passes::hide_initial_shapes));
  const ir::Carried& state = unread.after().carried.front();
  CHECK(unread.node->input(state.input).shape() == ir::PartialShape{ir::Dimension(), 2});
  OneLoop read(times<5>, yes);
  fill_with_growing_state(read, true);
  passes::PassContext newest;
  newest.target = target::Target({target::kNewestRelease, target::kNewestRelease});
  CHECK_FALSE(passes::hide_initial_shapes(read.model, newest));
  CHECK(read.run(passes::hide_initial_shapes));
  OneLoop unchanging(times<5>, yes);
  fill_with_sum(unchanging, unchanging.body.boolean(true));
  CHECK_FALSE(unchanging.run(passes::hide_initial_shapes));
}

TEST_CASE("remove_dead_states", "[passes]") {
  OneLoop loop(times<5>, yes);
  const Value start = loop.builder.parameter(f32, {2});
  const Value read = loop.state(start);
  const Value unread = loop.state(start);
  const Value needed = loop.state(start);
  loop.set_next(0, loop.body.op("Add", {read, needed}));
  loop.set_next(1, loop.body.op("Add", {unread, read}), false);
  loop.set_next(2, loop.body.op("Multiply", {needed, needed}), false);
  loop.finish(loop.body.boolean(true));
  CHECK(loop.run(passes::remove_dead_states));
  CHECK(loop.after().carried.size() == 2);
  CHECK(loop.node->inputs().size() == 4);
}

TEST_CASE("simplify_conditions", "[passes]") {
  OneLoop loop(times<5>, perhaps);
  const Value condition = loop.invariant(loop.inputs[1]);
  const Value both = loop.body.op("LogicalAnd", {condition, loop.body.boolean(true)});
  fill_with_sum(loop, both);
  CHECK(loop.run(passes::simplify_conditions));
  CHECK(loop.after().condition->input(0).node->constant() != nullptr);
  OneLoop other(times<5>, perhaps);
  const Value another = other.builder.parameter(ir::ElementType::boolean, ir::PartialShape::of_rank(0));
  const Value inner = other.invariant(another);
  const Value joined = other.body.op("LogicalOr", {inner, inner});
  fill_with_sum(other, joined);
  CHECK_FALSE(other.run(passes::simplify_conditions));
}

TEST_CASE("simplify_conditions ends on conditions that double", "[passes]") {
  OneLoop loop(times<5>, perhaps);
  Value condition = loop.invariant(loop.inputs[1]);
  for (int i = 0; i < 64; ++i) condition = loop.body.op("LogicalAnd", {condition, condition});
  fill_with_sum(loop, condition);
  CHECK_FALSE(loop.run(passes::simplify_conditions));
}

TEST_CASE("guard_zero_iterations", "[passes]") {
  OneLoop loop(any_times, yes);
  fill_with_sum(loop, loop.body.boolean(true));
  CHECK(loop.run(passes::guard_zero_iterations));
  CHECK(loop.source(0).is("Select"));
  CHECK(loop.source(1).is("Slice"));
  OneLoop certain(times<5>, yes);
  fill_with_sum(certain, certain.body.boolean(true));
  CHECK_FALSE(certain.run(passes::guard_zero_iterations));
  OneLoop written(any_times, yes);
  written.state(written.builder.parameter(f32, {2}));
  const Value fresh = written.invariant(written.builder.parameter(f32, {2}));
  written.set_next(0, written.body.op("Negative", {fresh}));
  written.finish(written.body.boolean(true));
  CHECK(written.run(passes::guard_zero_iterations));
  CHECK(written.source(0).is("Select"));
}

TEST_CASE("guard_zero_iterations: final values of dynamic size", "[passes]") {
  OneLoop loop(any_times, yes);
  const Value vector = loop.state(loop.builder.parameter(f32, {-1}));
  const Value matrix = loop.state(loop.builder.parameter(f32, {-1, 3}));
  const Value both = loop.state(loop.builder.parameter(f32, {-1, -1, 3}));
  for (std::size_t i = 0; const Value state : {vector, matrix, both})
    loop.set_next(i++, loop.body.op("Add", {state, state}));
  loop.finish(loop.body.boolean(true));
  CHECK(loop.run(passes::guard_zero_iterations));
  CHECK(loop.source(0).is("Concat"));
  CHECK(loop.source(1).output(0).shape == ir::PartialShape{-1, 3});
  CHECK(loop.source(2).output(0).shape == ir::PartialShape{-1, -1, 3});
}

TEST_CASE("guard_zero_iterations: releases without the fault", "[passes]") {
  OneLoop loop(any_times, yes);
  fill_with_sum(loop, loop.body.boolean(true));
  passes::PassContext context;
  context.target = target::Target({{2026, 4}, {2026, 4}});
  CHECK(passes::guard_zero_iterations(loop.model, context));
  CHECK(&loop.source(0) == loop.node);
  CHECK(loop.source(1).is("Slice"));
}

TEST_CASE("unsqueeze_empty_loop_values", "[passes]") {
  OneLoop loop(any_times, yes);
  const Value state = loop.state(loop.builder.parameter(f32, {-1}));
  const Value added = loop.invariant(loop.builder.parameter(f32, {-1}));
  loop.set_next(0, loop.body.op("Add", {state, added}));
  loop.finish(loop.body.boolean(true));
  CHECK(loop.run(passes::unsqueeze_empty_loop_values));
  CHECK(loop.source(0).is("Squeeze"));
  CHECK(loop.source(0).output(0).shape == ir::PartialShape::of_rank(1));
  for (const ir::Node* parameter : loop.after().graph->parameters())
    CHECK(parameter->output(0).shape == ir::PartialShape{1, -1});
  OneLoop filled(any_times, yes);
  fill_with_sum(filled, filled.body.boolean(true));
  CHECK_FALSE(filled.run(passes::unsqueeze_empty_loop_values));
}

TEST_CASE("branch_around_loops", "[passes]") {
  const auto fill = [](OneLoop& loop, const ir::PartialShape& initial) {
    const Value rows = loop.state(loop.builder.parameter(f32, initial));
    const Value row = loop.invariant(loop.builder.parameter(f32, {2, 3}));
    loop.set_next(0, loop.body.op("Concat", {rows, row}, {{"axis", 0}}));
    loop.scan(row);
    loop.finish(loop.body.boolean(true));
  };
  const ir::PartialShape any_rows{-1, 3};
  OneLoop grows(any_times, yes);
  fill(grows, any_rows);
  CHECK(grows.run(passes::branch_around_loops));
  const ir::Node& choice = grows.source(0);
  REQUIRE(choice.is("If"));
  CHECK(choice.output(0).shape == any_rows);
  CHECK(choice.output(1).shape == ir::PartialShape{-1, 2, 3});
  const ir::Node& inner = *choice.branches()->then_branch.results[0]->input(0).node;
  REQUIRE(inner.is("Loop"));
  CHECK(inner.output(0).shape[0] == ir::Dimension(2, ir::Dimension::kUnbounded));
  CHECK(ir::runs_at_least_once(inner));

  OneLoop runs(times<2>, yes);
  fill(runs, any_rows);
  CHECK_FALSE(runs.run(passes::branch_around_loops));
  OneLoop starts_long(any_times, yes);
  fill(starts_long, {ir::Dimension(4, ir::Dimension::kUnbounded), 3});
  CHECK_FALSE(starts_long.run(passes::branch_around_loops));
}

TEST_CASE("move_constants_into_bodies", "[passes]") {
  OneLoop loop(times<5>, yes);
  const Value sum = loop.state(loop.builder.parameter(f32, {2}));
  const Value constant = loop.invariant(loop.builder.number(3, f32));
  const Value outer = loop.invariant(loop.builder.parameter(f32, {2}));
  loop.set_next(0, loop.body.op("Add", {loop.body.op("Multiply", {sum, constant}), outer}));
  loop.finish(loop.body.boolean(true));
  CHECK(loop.run(passes::move_constants_into_bodies));
  CHECK(loop.after().invariants.size() == 1);
  CHECK(loop.after().invariants.front().parameter == outer.node);
}

TEST_CASE("warn_about_wide_integers", "[passes]") {
  ir::Model model;
  ir::Builder builder(model.graph);
  Value sum = builder.parameter(ir::ElementType::i64, {2});
  const auto add = [&](std::int64_t number) { sum = builder.op("Add", {sum, builder.integer(number)}); };
  const auto notes = [&] {
    DiagnosticSink sink;
    passes::PassContext context;
    context.sink = &sink;
    CHECK_FALSE(passes::warn_about_wide_integers(model, context));
    return sink.diagnostics().empty() ? 0 : sink.diagnostics().front().notes.size();
  };
  add(std::numeric_limits<std::int32_t>::max());
  add(std::numeric_limits<std::int64_t>::max());
  CHECK(notes() == 0);
  add(std::int64_t{1} << 40);
  CHECK(notes() == 1);
  for (std::int64_t i = 1; i < 100; ++i) add((std::int64_t{1} << 40) + i);
  CHECK(notes() == 21);
}
