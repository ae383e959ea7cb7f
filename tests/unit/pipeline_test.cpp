// The order of the pipeline: what passes require, ensure and break.
#include "passes/pipeline.hpp"

#include <algorithm>

#include "catch.hpp"
#include "failure_code.hpp"
#include "ir/builder.hpp"
#include "ir/text/parser.hpp"
#include "ir/views/reshaping.hpp"

using namespace onnx2ir;
using passes::Pass;
using passes::PropertySet;

namespace {

/// A pass that runs for all targets.
bool always_runs(const Pass& pass) {
  return pass.kind != passes::PassKind::legalize;
}

/// Walks over passes as if each changed the model. `sure`: what holds for all targets; `possible`: what holds
/// for some.
struct Walk {
  PropertySet sure = passes::kInitialProperties;
  PropertySet possible = passes::kInitialProperties;

  void enter(const Pass& pass) const {
    for (const passes::PropertyInfo& info : passes::all_properties()) {
      INFO(pass.name << " requires " << info.name);
      CHECK((!pass.required.contains(info.property) || sure.contains(info.property)));
    }
  }
  void leave(const Pass& pass) {
    if (always_runs(pass)) sure.add(pass.ensured);
    possible.add(pass.ensured);
  }
  void lose(const PropertySet& properties) {
    sure.remove(properties);
    possible.remove(properties);
  }
};

}  // namespace

TEST_CASE("what a pass requires is ensured before it, and what a legalisation ensures holds to the end",
          "[passes]") {
  const auto pipeline = passes::pipeline();
  Walk walk;
  for (const Pass& pass : pipeline) {
    walk.enter(pass);
    if (pass.repeats_from.empty()) {
      walk.lose(broken_by(pass));
    } else {
      // It has changed the model. The passes in between make up for what it has broken.
      const Pass* const first = passes::find_pass(pass.repeats_from);
      REQUIRE(first != nullptr);
      REQUIRE(first <= &pass);
      Walk again = walk;
      again.lose(broken_by(pass));
      for (const Pass* between = first; between < &pass; ++between) {
        again.enter(*between);
        if (between->repeats_from.empty()) again.lose(broken_by(*between));
        again.leave(*between);
      }
      CHECK(again.sure.contains(walk.sure));
    }
    walk.leave(pass);
  }
  for (const Pass& pass : pipeline) {
    INFO(pass.name);
    CHECK((pass.kind != passes::PassKind::legalize || walk.possible.contains(pass.ensured)));
    CHECK((pass.kind != passes::PassKind::legalize || !faults_of(pass).is_empty()));
  }
}

TEST_CASE("each property is required, ensured or true of all models", "[passes]") {
  for (const passes::PropertyInfo& info : passes::all_properties()) {
    INFO(info.name);
    CHECK(std::ranges::any_of(passes::pipeline(), [&](const Pass& pass) {
      return pass.required.contains(info.property) || pass.ensured.contains(info.property) ||
             passes::kInitialProperties.contains(info.property);
    }));
    CHECK(&info - passes::all_properties().data() == static_cast<std::ptrdiff_t>(info.property));
  }
}

TEST_CASE("passes list as broken only properties that a pass requires", "[passes]") {
  PropertySet required;
  for (const Pass& pass : passes::pipeline()) required.add(pass.required);
  for (const Pass& pass : passes::pipeline()) {
    INFO(pass.name);
    CHECK(required.contains(pass.broken));
  }
}

TEST_CASE("running a pass reports a property that does not hold, and the node that breaks it", "[passes]") {
  const auto model = ir::parse_text(R"(model "guarded"
%n = Parameter : i64[] "n"
%x = Parameter : f32[2] "x"
%go = Const : boolean[] = true
%y = Loop(%n, %go, %x) {
  condition %c
  carried %s = input 2: %x, back_edge %next, output 0, guarded
  %s = Parameter : f32[2]
  %t = Const : boolean[] = true
  %c = Result(%t)
  %twice = Add(%s, %s)
  %next = Result(%twice)
}
%r = Result(%y) : f32[2]
)");
  passes::PassContext context;
  context.checks = true;
  CHECK_THROWS_WITH(passes::run_pass(*model, *passes::find_pass("make_shapes_distinct"), context),
                    "before pass make_shapes_distinct: no_guarded_outputs does not hold: Loop 'y' breaks it");
  context.checks = false;
  CHECK_FALSE(passes::run_pass(*model, *passes::find_pass("make_shapes_distinct"), context));
}

namespace {

/// A pass that emits a node whose inputs do not fit, and one whose change reveals that those of another do
/// not.
bool add_different_sizes(ir::Model& model, passes::PassContext&) {
  ir::Builder builder(model.graph);
  builder.op(ops::Add, {builder.integers({1, 2}), builder.integers({1, 2, 3})});
  return true;
}
bool reshape_to_four(ir::Model& model, passes::PassContext&) {
  ir::Builder builder(model.graph);
  model.graph.results().front()->input(0).node->set_input(ir::ReshapeView::Input::shape,
                                                          builder.integers({4}));
  return true;
}

}  // namespace

TEST_CASE("an invalid node that a pass emits is an internal error, a contradiction that it reveals is not") {
  const auto run = [](bool (*change)(ir::Model&, passes::PassContext&)) {
    const auto model = ir::parse_text(R"(model "m"
%x = Parameter : f32[2,3]
%shape = Parameter : i64[1]
%y = Reshape(%x, %shape) {special_zero=false}
%r = Result(%y)
)");
    passes::PassContext context;
    passes::run_pass(*model, {{}, passes::PassKind::optimize, "change", change, ""}, context);
  };
  CHECK_THROWS_AS(run(add_different_sizes), base::InternalError);
  CHECK(code_of([&] { return run(reshape_to_four), 0; }) == DiagnosticCode::invalid_model);
}

TEST_CASE("repetitions without an end are an internal error", "[passes]") {
  passes::PipelinePosition position;
  while (position.pass()->repeats_from.empty()) CHECK(position.advance(true));
  CHECK_FALSE(position.advance(true));
  const auto repeat = [&] {
    for (;;) position.advance(!position.pass()->repeats_from.empty());
  };
  CHECK_THROWS_WITH(repeat(), "pass move_constants_into_bodies changes the model again and again");
}

TEST_CASE("a pass that changes the model without saying so is an internal error", "[passes]") {
  const auto model = ir::parse_text(R"(model "sum"
%x = Parameter : f32[2]
%sum = Add(%x, %x)
%r = Result(%sum)
)");
  const auto add_copy = [](ir::Model& changed, passes::PassContext&) {
    ir::Node& result = *changed.graph.results().front();
    ir::Builder builder = ir::builder_beside(result);
    result.set_input(0, builder.op(ops::ReLU, {result.input(0)}));
    return false;
  };
  const Pass pass{{}, passes::PassKind::optimize, "silent", add_copy, ""};
  passes::PassContext context;
  context.checks = true;
  CHECK_THROWS_WITH(passes::run_pass_once(*model, pass, context),
                    "after pass silent: the model has changed, but the pass says that it has not");
}
