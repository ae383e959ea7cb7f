// Removing nodes: many at once in one walk over the graph, so that passes take linear time.
#include <fmt/format.h>

#include "catch.hpp"
#include "ir/builder.hpp"
#include "ir/text/parser.hpp"
#include "ir/verifier.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"

using namespace onnx2ir;

namespace {

/// How often a pass searches the nodes of a graph of `text` for nodes to remove: the most of all graphs.
std::size_t removals(const std::string& text, std::string_view pass, std::size_t least_nodes) {
  const auto model = ir::parse_text(text);
  std::size_t nodes = 0;
  for (const ir::Graph* graph : passes::graphs_of(*model)) nodes += graph->nodes().size();
  CHECK(nodes >= least_nodes);
  passes::PassContext context;
  context.checks = true;
  CHECK(passes::run_pass(*model, *passes::find_pass(pass), context));
  std::size_t most = 0;
  for (const ir::Graph* graph : passes::graphs_of(*model)) most = std::max(most, graph->removals());
  return most;
}

/// A model of `count` Ifs of one dynamic output each, which one condition decides.
std::string ifs(std::size_t count) {
  std::string text = "model \"ifs\"\n%c = Parameter : boolean[] \"c\"\n%x = Parameter : f32[?] \"x\"\n";
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format(R"(%y{0} = If(%c, %x) {{
  then {{
    invariant %a = input 1: %x
    output 0 = %t
    %a = Parameter : f32[?]
    %u = Exp(%a)
    %t = Result(%u)
  }}
  else {{
    invariant %a = input 1: %x
    output 0 = %e
    %a = Parameter : f32[?]
    %e = Result(%a)
  }}
}}
%z{0} = Abs(%y{0})
%r{0} = Result(%z{0})
)",
                        i);
  }
  return text;
}

/// A model of `count` loops that make a list longer and may run zero times.
std::string growing_lists(std::size_t count) {
  std::string text =
      "model \"lists\"\n%n = Parameter : i64[] \"n\"\n%go = Const : boolean[] = true\n"
      "%x = Parameter : f32[1] \"x\"\n";
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format(R"(%y{0} = Loop(%n, %go, %x) {{
  condition %c
  carried %s = input 2: %x, back_edge %next, output 0
  %s = Parameter : f32[?]
  %zero = Const : i64[] = 0
  %two = Const : f32[2] = [1, 2]
  %t = Const : boolean[] = true
  %c = Result(%t)
  %sum = Add(%two, %two)
  %next = Result(%sum)
}}
%r{0} = Result(%y{0})
)",
                        i);
  }
  return text;
}

/// A Loop of `count` states with the text `state` in its body, of which output i is read if `reads_all`.
std::string states(std::size_t count, std::string_view initial, std::string_view state, bool reads_all) {
  std::string inputs;
  std::string ports;
  std::string body;
  std::string results;
  for (std::size_t i = 0; i < count; ++i) {
    inputs += ", %x";
    ports += fmt::format("  carried %s{0} = input {1}: %x, back_edge %n{0}, output {0}\n", i, i + 2);
    body += fmt::format(fmt::runtime(state), i);
    if (reads_all || i == 0) results += fmt::format("%r{0} = Result(%y#{0})\n", i);
  }
  return fmt::format(
      "model \"states\"\n%m = Parameter : i64[] \"m\"\n%go = Const : boolean[] = true\n{}\n"
      "%y = Loop(%m, %go{}) {{\n  condition %c\n{}  %t = Const : boolean[] = true\n  %c = "
      "Result(%t)\n{}}}\n{}",
      initial, inputs, ports, body, results);
}

constexpr std::size_t kFew = 10;
constexpr std::size_t kMany = 100;

}  // namespace

TEST_CASE("wrap_ifs_in_loops removes all Ifs of a graph at once", "[passes]") {
  CHECK(removals(ifs(kMany), "wrap_ifs_in_loops", kMany) == removals(ifs(kFew), "wrap_ifs_in_loops", kFew));
}

TEST_CASE("branch_around_loops removes all loops of a graph at once", "[passes]") {
  CHECK(removals(growing_lists(kMany), "branch_around_loops", kMany) ==
        removals(growing_lists(kFew), "branch_around_loops", kFew));
}

TEST_CASE("passes over states remove all of them at once", "[passes]") {
  constexpr auto kVector = "%x = Parameter : f32[2] \"x\"";
  constexpr auto kUnchanged = "  %s{0} = Parameter : f32[2]\n  %n{0} = Result(%s{0})\n";
  constexpr auto kDoubled =
      "  %s{0} = Parameter : f32[2]\n  %d{0} = Add(%s{0}, %s{0})\n  %n{0} = Result(%d{0})\n";
  const auto of = [](std::string_view pass, auto text) {
    CHECK(removals(text(kMany), pass, kMany) == removals(text(kFew), pass, kFew));
  };
  of("make_unchanged_states_invariant",
     [&](std::size_t count) { return states(count, kVector, kUnchanged, true); });
  of("remove_dead_states", [&](std::size_t count) { return states(count, kVector, kDoubled, false); });
  constexpr auto kAppended =
      "  %s{0} = Parameter : f32[?]\n  %one{0} = Const : f32[1] = [1]\n"
      "  %d{0} = Concat(%s{0}, %one{0}) {{axis=0}}\n  %n{0} = Result(%d{0})\n";
  of("convert_appends_to_scan_outputs",
     [&](std::size_t count) { return states(count, "%x = Parameter : f32[0] \"x\"", kAppended, true); });
}

TEST_CASE("remove_dead_states handles a chain of loops in one run", "[passes]") {
  std::string text =
      "model \"chain\"\n%m = Parameter : i64[] \"m\"\n%go = Const : boolean[] = true\n"
      "%k0 = Parameter : f32[2] \"k\"\n%d0 = Parameter : f32[2] \"d\"\n";
  for (std::size_t i = 0; i < kFew; ++i) {
    text += fmt::format(R"(%y{0} = Loop(%m, %go, %k{0}, %d{0}) {{
  condition %c
  carried %s = input 2: %k{0}, back_edge %n1, output 0
  carried %t = input 3: %d{0}, back_edge %n2, output 1
  %s = Parameter : f32[2]
  %t = Parameter : f32[2]
  %true = Const : boolean[] = true
  %c = Result(%true)
  %s2 = Add(%s, %s)
  %t2 = Add(%t, %t)
  %n1 = Result(%s2)
  %n2 = Result(%t2)
}}
%k{1} = Sin(%y{0})
%d{1} = Abs(%y{0}#1)
)",
                        i, i + 1);
  }
  const auto model = ir::parse_text(text + fmt::format("%r = Result(%k{})\n", kFew));
  model->graph.remove_dead_nodes();
  passes::PassContext context;
  CHECK(passes::remove_dead_states(*model, context));
  CHECK_FALSE(passes::remove_dead_states(*model, context));
  for (const ir::LoopView loop : passes::loops_of(*model)) CHECK(loop.states().size() == 1);
}

TEST_CASE("nodes are removed together with the uses among them", "[graph]") {
  ir::Graph graph;
  ir::Builder builder(graph);
  const ir::Value x = builder.parameter(ir::ElementType::f32, ir::PartialShape{2});
  const ir::Value kept = builder.op(ops::Abs, {x});
  const ir::Value first = builder.op(ops::Add, {x, kept});
  const ir::Value second = builder.op(ops::Add, {first, x});
  ir::Node& result = builder.result(kept);
  ir::Node* const removed[] = {first.node, second.node};
  graph.remove(removed);
  CHECK(graph.nodes().size() == 3);
  CHECK(x.node->output(0).uses.size() == 1);
  CHECK(kept.node->output(0).uses.size() == 1);
  CHECK(kept.node->output(0).uses.front() == ir::Use{&result, 0});
  CHECK(ir::verify(graph).empty());
}
