// Each rule of the verifier on a graph that violates only this rule.
#include "ir/verifier.hpp"

#include <algorithm>
#include <array>

#include "catch.hpp"
#include "ir/builder.hpp"
#include "ir/text/parser.hpp"

using namespace onnx2ir::ir;
namespace ops = onnx2ir::ops;

namespace {

using Problems = std::vector<std::string>;

/// x + x, and its Result.
struct Sum {
  Graph graph;
  Builder builder{graph};
  Value x = builder.parameter(ElementType::f32, PartialShape{2});
  Node& add = *builder.op(ops::Add, {x, x}).node;
  Node& result = builder.result(add.value());
};

std::unique_ptr<Model> read(std::string_view text) {
  std::unique_ptr<Model> model = parse_text(text);
  REQUIRE(verify(model->graph).empty());
  return model;
}

std::unique_ptr<Model> loop_model() {
  return read(R"(model "loop"
%x = Parameter : f32[2]
%c = Parameter : f32[2]
%count = Const : i64[] = 3
%go = Const : boolean[] = true
%last = Loop(%count, %go, %x, %c) : f32[2], f32[?,2] {
  iteration %i
  condition %goes_on
  carried %v = input 2: %x, back_edge %next, output 0
  invariant %w = input 3: %c
  output 1 = scan %row, axis 0

  %i = Parameter : i64[]
  %v = Parameter : f32[2]
  %w = Parameter : f32[2]
  %sum = Add(%v, %w) : f32[2]
  %limit = Const : i64[] = 2
  %less = Less(%i, %limit) : boolean[]
  %goes_on = Result(%less) : boolean[]
  %next = Result(%sum) : f32[2]
  %axis = Const : i64[1] = [0]
  %unsqueezed = Unsqueeze(%sum, %axis) : f32[1,2]
  %row = Result(%unsqueezed) : f32[1,2]
}
%y = Result(%last) : f32[2]
%all = Result(%last#1) : f32[?,2]
)");
}

std::unique_ptr<Model> if_model() {
  return read(R"(model "if"
%c = Parameter : boolean[]
%x = Parameter : f32[2]
%y = If(%c, %x, %x) : f32[2] {
  then {
    invariant %a = input 1: %x
    output 0 = %then

    %a = Parameter : f32[2]
    %up = Exp(%a) : f32[2]
    %then = Result(%up) : f32[2]
  }
  else {
    invariant %b = input 2: %x
    output 0 = %else

    %b = Parameter : f32[2]
    %else = Result(%b) : f32[2]
  }
}
%result = Result(%y) : f32[2]
)");
}

Node& control_flow_of(Model& model) {
  return *model.graph.control_flow().front();
}

/// Whether one of the found problems ends like this.
bool finds(const Graph& graph, std::string_view problem) {
  const Problems problems = verify(graph);
  CAPTURE(problems);
  return std::ranges::any_of(problems, [&](const std::string& found) { return found.ends_with(problem); });
}

}  // namespace

TEST_CASE("the verifier finds an input that is not connected", "[verifier]") {
  Graph graph;
  graph.add(find_op(ops::Exp), std::array{Value{}}, 1);
  CHECK(verify(graph) == Problems{"Exp '': input 0 is not connected"});
}

TEST_CASE("the verifier finds an input from another graph", "[verifier]") {
  Sum outer;
  Graph other;
  other.add(find_op(ops::Exp), std::array{outer.x}, 1);
  CHECK(verify(other) == Problems{"Exp '': input 0 comes from another graph"});
}

TEST_CASE("the verifier finds an input that is produced by a later node, and sort() corrects the order",
          "[verifier]") {
  Sum sum;
  const Value second = sum.builder.op(ops::Add, {sum.x, sum.x});
  sum.add.set_input(1, second);
  CHECK(verify(sum.graph) == Problems{"Add '': input 1 is produced by a later node"});
  sum.graph.sort();
  CHECK(verify(sum.graph).empty());
}

TEST_CASE("the verifier finds an output that the producer of an input does not have", "[verifier]") {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.parameter(ElementType::f32, PartialShape{4});
  Node& split = builder.node(ops::Split, {x, builder.integer(0)}, {{"num_splits", 2}}, 2);
  builder.op(ops::Exp, {split.value(1)});
  split.output(1).uses.clear();
  split.remove_output(1);
  CHECK(verify(graph) == Problems{"Exp '': input 0 is an output that its producer does not have"});
}

TEST_CASE("the verifier finds an input that is missing among the uses of its producer", "[verifier]") {
  Sum sum;
  sum.add.output(0).uses.clear();
  CHECK(verify(sum.graph) ==
        Problems{"Result '': input 0 is not listed exactly once in the uses of its producer"});
}

TEST_CASE("the verifier finds an input that is among the uses of its producer twice", "[verifier]") {
  Sum sum;
  sum.add.output(0).uses.push_back({&sum.result, 0});
  CHECK(verify(sum.graph) ==
        Problems{"Result '': input 0 is not listed exactly once in the uses of its producer"});
}

TEST_CASE("the verifier finds a use whose input reads another value", "[verifier]") {
  Sum sum;
  sum.add.output(0).uses.push_back({&sum.add, 0});
  CHECK(verify(sum.graph) ==
        Problems{"Add '': a use of output 0 belongs to an input that reads another value"});
}

TEST_CASE("the verifier finds too few and too many inputs", "[verifier]") {
  Sum sum;
  sum.graph.add(find_op(ops::Add), std::array{sum.x}, 1);
  sum.graph.add(find_op(ops::Exp), std::array{sum.x, sum.x}, 1);
  CHECK(verify(sum.graph) == Problems{"Add '': it has 1 inputs", "Exp '': it has 2 inputs"});
}

TEST_CASE("the verifier finds a missing attribute", "[verifier]") {
  Sum sum;
  sum.graph.add(find_op(ops::SoftMax), std::array{sum.x}, 1);
  CHECK(verify(sum.graph) == Problems{"SoftMax '': attribute axis is missing"});
}

TEST_CASE("the verifier finds ports of a loop that refer to missing items", "[verifier]") {
  const auto model = loop_model();
  Node& node = control_flow_of(*model);
  LoopBody& loop = *node.loop();
  SECTION("an input") {
    loop.carried[0].input = 9;
    CHECK(finds(model->graph, "a port refers to an input that does not exist"));
    CHECK(finds(model->graph, "input 2 is not mapped exactly once"));
  }
  SECTION("an output") {
    loop.carried[0].output = 9;
    CHECK(finds(model->graph, "a port refers to an output that does not exist"));
    CHECK(finds(model->graph, "output 0 is not mapped exactly once"));
  }
  SECTION("no condition") {
    loop.condition = nullptr;
    CHECK(verify(model->graph) == Problems{"Loop 'last': a port refers to no Result of the body"});
  }
  SECTION("a condition that is no Result") {
    loop.condition = loop.iteration;
    CHECK(verify(model->graph) == Problems{"Loop 'last': a port refers to no Result of the body"});
  }
  SECTION("a next value of the graph around") {
    loop.carried[0].result = model->graph.results().front();
    CHECK(verify(model->graph) == Problems{"Loop 'last': a port refers to no Result of the body"});
  }
  SECTION("a row that is a Parameter") {
    loop.scans[0].result = loop.carried[0].parameter;
    CHECK(verify(model->graph) == Problems{"Loop 'last': a port refers to no Result of the body"});
  }
  SECTION("a Parameter of the graph around") {
    loop.invariants[0].parameter = model->graph.parameters().front();
    CHECK(finds(model->graph, "a port refers to no Parameter of the body"));
    CHECK(finds(model->graph, "Parameter 'w' of the body is not fed by exactly one port"));
  }
  SECTION("an iteration number that is a Result") {
    loop.iteration = loop.condition;
    CHECK(finds(model->graph, "a port refers to no Parameter of the body"));
    CHECK(finds(model->graph, "Parameter 'i' of the body is not fed by exactly one port"));
  }
}

TEST_CASE("the verifier finds ports of a loop that are mapped twice", "[verifier]") {
  const auto model = loop_model();
  LoopBody& loop = *control_flow_of(*model).loop();
  SECTION("an input") {
    loop.invariants[0].input = 2;
    CHECK(verify(model->graph) == Problems{"Loop 'last': input 2 is not mapped exactly once",
                                           "Loop 'last': input 3 is not mapped exactly once"});
  }
  SECTION("an output") {
    loop.scans[0].output = 0;
    CHECK(verify(model->graph) == Problems{"Loop 'last': output 0 is not mapped exactly once",
                                           "Loop 'last': output 1 is not mapped exactly once"});
  }
  SECTION("a Parameter") {
    loop.invariants[0].parameter = loop.carried[0].parameter;
    CHECK(finds(model->graph, "Parameter 'v' of the body is not fed by exactly one port"));
    CHECK(finds(model->graph, "Parameter 'w' of the body is not fed by exactly one port"));
  }
}

TEST_CASE("the verifier finds wrong ports of an If", "[verifier]") {
  const auto model = if_model();
  Branch& branch = control_flow_of(*model).branches()->then_branch;
  SECTION("no Result for an output") {
    branch.results.clear();
    CHECK(verify(model->graph) == Problems{"If 'y': output 0 is not mapped exactly once"});
  }
  SECTION("a Result of the other branch") {
    branch.results[0] = control_flow_of(*model).branches()->else_branch.results[0];
    CHECK(verify(model->graph) == Problems{"If 'y': a port refers to no Result of the body"});
  }
  SECTION("an input that does not exist") {
    branch.invariants[0].input = 9;
    CHECK(verify(model->graph) == Problems{"If 'y': a port refers to an input that does not exist"});
  }
  SECTION("a Parameter without an input") {
    branch.invariants.clear();
    CHECK(verify(model->graph) ==
          Problems{"If 'y': Parameter 'a' of the body is not fed by exactly one port"});
  }
}

TEST_CASE("the verifier checks bodies", "[verifier]") {
  const auto model = loop_model();
  Graph& body = *control_flow_of(*model).loop()->graph;
  body.add(find_op(ops::Exp), std::array{Value{}}, 1);
  CHECK(verify(model->graph) == Problems{"Exp '': input 0 is not connected"});
}

TEST_CASE("sort() rejects a cycle") {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.parameter(ElementType::f32, PartialShape{2});
  const Value first = builder.op(ops::Add, {x, x});
  const Value second = builder.op(ops::Add, {first, x});
  builder.result(second);
  first.node->set_input(0, second);
  CHECK_THROWS_AS(graph.sort(), std::logic_error);
}

TEST_CASE("nodes are removed together, with their uses and list entries") {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.parameter(ElementType::f32, PartialShape{2});
  const Value y = builder.parameter(ElementType::f32, PartialShape{2});
  const Value z = builder.op(ops::ReLU, {x});
  Node& first = builder.result(z);
  Node& second = builder.result(y);
  Node* const removed[] = {&second, y.node};
  graph.remove(removed);
  CHECK(graph.nodes().size() == 3);
  CHECK(graph.parameters() == std::vector<Node*>{x.node});
  CHECK(graph.results() == std::vector<Node*>{&first});
  graph.remove(first);
  CHECK(graph.results().empty());
  CHECK_FALSE(z.node->has_uses());
  CHECK(verify(graph).empty());
}
