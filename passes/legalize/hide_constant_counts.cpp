// OpenVINO evaluates loops with constant inputs at compile time. That fails for loops that run zero times,
// for most loops that end by their body condition, and up to 2025.4 for loops with an If in the body
// (tests/faults). The condition of such a loop is made to depend on a model input. A loop is left to
// hide_unfoldable_constants if its trip count and the trip counts of its inner loops are constants. Trip
// counts and conditions that only OpenVINO can fold are hidden as well: the CPU plugin crashes if a trip
// count folds to 0.
#include <algorithm>

#include "passes/passes.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

bool is_known_true(ir::Value condition) {
  return ir::known_scalar(condition).value_or(0) != 0;
}

bool can_be_evaluated(const ir::Graph& body);

/// Whether OpenVINO can evaluate `loop` and its inner loops at compile time.
bool can_be_evaluated(ir::LoopView loop) {
  return loop.iterations().value_or(0) > 0 && is_known_true(loop.next_condition()) &&
         can_be_evaluated(loop.graph());
}

bool can_be_evaluated(const ir::Graph& body) {
  return std::ranges::all_of(body.control_flow(), [](ir::Node* node) {
    return node->loop() != nullptr && can_be_evaluated(ir::LoopView(*node));
  });
}

/// The meaning of `scratch` of a node: whether OpenVINO can compute the node at compile time.
enum Evaluation : std::int64_t { constant, at_run_time };

class CountSearch {
 public:
  explicit CountSearch(ir::Model& model) : truth_(model.graph) {
    for (ir::Node* input : model.graph.parameters()) input->scratch = at_run_time;
    visit(model.graph, truth_);
  }
  bool modified() const { return modified_; }

 private:
  static bool is_foldable(ir::Value value) { return value.node->scratch == constant; }

  static bool is_foldable(ir::Node& node) {
    for (std::uint32_t i = 0; i < node.inputs().size(); ++i) {
      if (!is_foldable(node.input(i)) && ir::is_read(ir::Use{&node, i})) return false;
    }
    return true;
  }

  static void mark(const ir::Body& body, const ir::Node& node) {
    for (ir::Node* parameter : body.graph->parameters()) parameter->scratch = at_run_time;
    for (const ir::Invariant& invariant : body.invariants)
      invariant.parameter->scratch = node.input(invariant.input).node->scratch;
  }

  static Evaluation known(ir::Node& node) {
    // An OpaqueTrue is static for us, but not for OpenVINO.
    if (node.notes.contains(ir::Note::opaque_truth)) return at_run_time;
    if (!node.op().traits.is_volatile && is_foldable(node)) return constant;
    const bool is_known = node.outputs().size() == 1 && ir::exact_values(node.value());
    return is_known ? constant : at_run_time;
  }

  void visit(ir::Graph& graph, OpaqueTrue& truth) {
    if (graph.control_flow().empty()) return;
    const std::size_t count = graph.nodes().size();
    for (std::size_t i = 0; i < count; ++i) {
      ir::Node& node = *graph.nodes()[i];
      if (node.is(ops::Parameter)) continue;
      node.scratch = known(node);
      if (node.loop() != nullptr) hide(ir::LoopView(node), truth);
      for (ir::Body* body : ir::bodies(node)) {
        mark(*body, node);
        OpaqueTrue inner(truth, node, *body);
        visit(*body->graph, inner);
      }
    }
  }

  void hide(ir::LoopView loop, OpaqueTrue& truth) {
    const auto will_be_known = [&](ir::Value value) {
      return !ir::known_scalar(value) && is_foldable(value);
    };
    const ir::Value count = loop.trip_count();
    const ir::Value starts = loop.condition();
    const bool is_evaluated = is_foldable(loop.node()) && !can_be_evaluated(loop);
    if (!is_evaluated && !will_be_known(count) && !will_be_known(starts)) return;
    const ir::Value holds = truth.get();
    ir::Builder builder = ir::builder_beside(loop.node());
    if (will_be_known(count))
      loop.set_trip_count(builder.op(ops::Select, {holds, count, builder.integer(0, count.type())}));
    loop.set_condition(is_known_true(starts) ? holds : builder.op(ops::LogicalAnd, {starts, holds}));
    loop.node().scratch = at_run_time;
    modified_ = true;
  }

  OpaqueTrue truth_;
  bool modified_ = false;
};

}  // namespace

bool hide_constant_counts(ir::Model& model, PassContext&) {
  return CountSearch(model).modified();
}

}  // namespace onnx2ir::passes
