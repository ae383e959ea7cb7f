// Recognises what legalisations emit, from the operations around a node.
#include "passes/finished_forms.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "ir/control_flow.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/random.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/uses.hpp"
#include "passes/pattern.hpp"
#include "passes/support/stacked_values.hpp"

namespace onnx2ir::passes {
namespace {

/// Models of hostile size must not take quadratic time: further facts, and larger computations, are ignored.
constexpr std::size_t kMaxFacts = 32;
constexpr int kMaxCompared = 64;

bool is_single(ir::Value value) {
  return value.shape().element_count() == 1;
}

/// Whether `convert` has an input that round_small_floats has rounded.
bool is_rounded(ir::ConvertView convert) {
  const ir::ElementType type = convert.destination_type();
  ir::Value round;
  return ir::is_floating(type) && ir::info(type).bits <= 8 &&
         matches(convert.data(),
                 commutative(ops::Multiply, any(round, op(ops::Round, any())), op(ops::Select, any()))) &&
         ir::RoundView(*round.node).mode() == "half_to_even";
}

/// Whether `comparison` is the result of OpaqueTrue.
bool is_opaque_truth(ir::Value comparison) {
  const auto count = op(ops::Gather, op(ops::ShapeOf, op(ops::NonZero, any())));
  return matches(comparison, op(ops::GreaterEqual, commutative(ops::Minimum, count, integer(1)), integer(0)));
}

/// Whether `random` draws the shift of separate_random_streams, or the number of emit_run_time_truth().
bool keeps_seed(ir::RandomUniformView random) {
  const ir::Node* const reader = only_reader(random.node());
  if (reader == nullptr || random.global_seed() != 0 || random.op_seed() != 0 ||
      ir::known_scalar(random.shape()) != 1 || ir::exact_number(random.low()) != 0.0 ||
      ir::exact_number(random.high()) != 1.0)
    return false;
  if (reader->is(ops::IsFinite)) return true;
  const ir::Node* const wrapped = only_reader(*reader);
  const ir::Node& numbers = *reader->input(0).node;
  return reader->is(ops::Add) && numbers.is(ops::RandomUniform) && &numbers != &random.node() &&
         wrapped != nullptr && wrapped->is(ops::FloorMod);
}

/// Whether `tile` adds an axis of copies.
bool adds_copies(ir::TileView tile) {
  const ir::PartialShape& shape = tile.output(0).shape;
  const auto repeats = ir::exact_values(tile.repeats());
  return repeats && shape.has_rank() && tile.data().shape().has_rank() && shape.rank() == repeats->size() &&
         tile.data().shape().rank() < shape.rank() &&
         std::all_of(repeats->begin() + 1, repeats->end(), [](std::int64_t count) { return count == 1; });
}

/// Whether a Reshape of `data` changes no size: hide_initial_shapes emits such ones.
bool keeps_sizes(ir::Value reshaped, ir::Value data) {
  const ir::PartialShape& shape = reshaped.shape();
  if (!shape.has_rank() || !data.shape().has_rank() || shape.rank() != data.shape().rank()) return false;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (!ir::have_equal_sizes(reshaped, axis, data, axis)) return false;
  }
  return true;
}

/// Whether make_shapes_distinct has made `value` of copies along axis 0. Adds the nodes that copy to
/// `copying`. `remaining` limits the number of values that are visited.
bool is_stack(ir::Value value, std::vector<ir::Node*>& copying, int& remaining) {
  if (--remaining < 0) return false;
  if (const auto unsqueeze = ir::match<ir::UnsqueezeView>(value))
    return ir::known_scalar(unsqueeze->axes()) == 0;
  if (value.node->constant() != nullptr) return value.shape().element_count() == 0;
  if (const auto tile = ir::match<ir::TileView>(value)) {
    copying.push_back(value.node);
    return adds_copies(*tile);
  }
  if (const auto reshape = ir::match<ir::ReshapeView>(value))
    return keeps_sizes(value, reshape->data()) && is_stack(reshape->data(), copying, remaining);
  if (value.node->branches() == nullptr) return false;
  return std::ranges::all_of(ir::IfView(*value.node).results(value.index), [&](const ir::Node* result) {
    return is_stack(result->input(0), copying, remaining);
  });
}

/// Marks the nodes that make copies of a state, and those that read the first copy.
void mark_stack(ir::LoopView loop, const ir::Carried& state) {
  const ir::Value read = only_first_copy(state.parameter->value());
  std::vector<ir::Node*> nodes;
  int remaining = kMaxCompared;
  if (!read || !is_stack(loop.outer(state), nodes, remaining) ||
      !is_stack(state.result->input(0), nodes, remaining))
    return;
  nodes.push_back(read.node);
  const ir::Value output = loop.output(state);
  if (const ir::Value final = output ? only_first_copy(output) : ir::Value()) nodes.push_back(final.node);
  for (ir::Node* node : nodes) node->notes.add(ir::Note::stacked);
}

class FormSearch {
 public:
  void visit(ir::Graph& graph) {
    for (const ir::NodePointer& node : graph.nodes()) add_notes(*node);
    for (ir::Node* node : graph.control_flow()) {
      for (const ir::Body* body : ir::bodies(*node)) capture(*node, *body);
      if (node->loop() != nullptr) {
        visit_loop(ir::LoopView(*node));
      } else {
        visit_branches(ir::IfView(*node));
      }
    }
  }

 private:
  void visit_loop(ir::LoopView loop) {
    if (runs(loop)) loop.body().is_known_to_run = true;
    for (const ir::Carried& state : loop.states()) mark_stack(loop, state);
    const std::size_t conditions = conditions_.size();
    const std::size_t counts = counts_.size();
    counts_.push_back(loop.trip_count());
    ir::Value condition;
    if (matches(origin(loop.trip_count()), op(ops::Select, any(condition), any(), integer(0))))
      add_facts(condition);
    visit(loop.graph());
    conditions_.resize(conditions);
    counts_.resize(counts);
  }

  void visit_branches(ir::IfView if_view) {
    const std::size_t conditions = conditions_.size();
    const std::size_t counts = counts_.size();
    add_facts(if_view.condition());
    visit(*if_view.then_branch().graph);
    conditions_.resize(conditions);
    counts_.resize(counts);
    visit(*if_view.else_branch().graph);
  }

  void add_notes(ir::Node& node) const {
    if (const auto convert = ir::match<ir::ConvertView>(node); convert && is_rounded(*convert))
      node.notes.add(ir::Note::rounded);
    if (node.is(ops::GreaterEqual) && is_opaque_truth(node.value())) node.notes.add(ir::Note::opaque_truth);
    if (const auto random = ir::match<ir::RandomUniformView>(node); random && keeps_seed(*random)) {
      node.notes.add(ir::Note::keeps_seed);
      node.notes.add(ir::Note::may_be_folded);
    }
    if (node.is_one_of({ops::StringTensorUnpack, ops::StringTensorPack, ops::Unique}) &&
        has_tested_elements(node.input(0)))
      node.notes.add(ir::Note::not_empty);
  }

  /// Whether one of the counts that are not 0 is the smallest size of `data`, as guard_empty_inputs tests it.
  bool has_tested_elements(ir::Value data) const {
    return is_any(counts_, [&](ir::Value count) {
      ir::Value tested;
      if (!matches(origin(count), op(ops::ReduceMin, op(ops::ShapeOf, any(tested))))) return false;
      const ir::PartialShape& shape = tested.shape();
      return shape.has_rank() && data.shape().has_rank() && shape.rank() == data.shape().rank() &&
             ir::have_equal_sizes(tested, 0, data, 0, shape.rank());
    });
  }

  bool runs(ir::LoopView loop) const {
    const auto is_among = [&](ir::Value value, const std::vector<ir::Value>& values) {
      return is_any(values, [&](ir::Value other) {
        int remaining = kMaxCompared;
        return is_same(value, other, remaining);
      });
    };
    const bool starts =
        ir::known_scalar(loop.condition()).value_or(0) != 0 || is_among(loop.condition(), conditions_);
    return starts && is_among(loop.trip_count(), counts_);
  }

  /// Whether the predicate holds for one of the last `values`.
  template <typename Predicate>
  static bool is_any(const std::vector<ir::Value>& values, Predicate predicate) {
    const std::size_t count = std::min(values.size(), kMaxFacts);
    return std::any_of(values.end() - static_cast<std::ptrdiff_t>(count), values.end(), predicate);
  }

  void capture(const ir::Node& node, const ir::Body& body) {
    for (const ir::Invariant& invariant : body.invariants)
      outer_.emplace(invariant.parameter, origin(node.input(invariant.input)));
  }

  /// The value that a Parameter captures, from as far outside as possible; other values themselves.
  ir::Value origin(ir::Value value) const {
    const auto found = outer_.find(value.node);
    return found == outer_.end() ? value : found->second;
  }

  /// Adds what follows from `condition`, a boolean that is true.
  void add_facts(ir::Value condition) {
    std::vector<ir::Value> pending{condition};
    for (std::size_t step = 0; !pending.empty() && step < kMaxFacts; ++step) {
      const ir::Value value = origin(pending.back());
      pending.pop_back();
      conditions_.push_back(value);
      ir::Value count;
      if (matches(value, op(ops::NotEqual, any(count), integer(0)))) counts_.push_back(count);
      if (value.node->is(ops::LogicalAnd))
        pending.insert(pending.end(), value.node->inputs().begin(), value.node->inputs().end());
    }
  }

  /// Whether two values are equal in each run: the same value, or the same operations on the same values.
  /// `remaining` limits the number of compared values.
  bool is_same(ir::Value value, ir::Value other, int& remaining) const {
    const ir::Value a = origin(value);
    const ir::Value b = origin(other);
    if (a == b || !a || !b) return a == b;
    if (is_single(a) && is_single(b) && ir::are_equal(ir::size_in(a, 0), ir::size_in(b, 0))) return true;
    const ir::Node& first = *a.node;
    const ir::Node& second = *b.node;
    const ir::Traits& traits = first.op().traits;
    const bool is_computed = !first.inputs().empty() && !traits.is_volatile && !traits.has_bodies;
    if (!is_computed || --remaining < 0 || !first.is(second.op().id) || a.index != b.index) return false;
    return std::ranges::equal(
               first.attributes(), second.attributes(),
               [](const auto& x, const auto& y) { return x.name == y.name && x.value == y.value; }) &&
           std::ranges::equal(first.inputs(), second.inputs(),
                              [&](ir::Value x, ir::Value y) { return is_same(x, y, remaining); });
  }

  /// What is true in the body that is visited.
  std::vector<ir::Value> conditions_;                     ///< they are true
  std::vector<ir::Value> counts_;                         ///< they are not 0
  std::unordered_map<const ir::Node*, ir::Value> outer_;  ///< of the Parameters that capture a value
};

}  // namespace

void mark_finished_forms(ir::Model& model) {
  FormSearch().visit(model.graph);
}

}  // namespace onnx2ir::passes
