#include "passes/finished_forms.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "ir/control_flow.hpp"
#include "ir/size_rules.hpp"
#include "passes/graph_walk.hpp"
#include "passes/support/final_or_initial.hpp"
#include "passes/support/run_time_values.hpp"
#include "passes/support/stacked_values.hpp"

namespace onnx2ir::passes {
namespace {

/// Models of hostile size must not take quadratic time: further facts, and larger computations, are ignored.
constexpr std::size_t kMaxFacts = 32;
constexpr int kMaxCompared = 64;

/// A value that is recognised by the operations around it, and the notes of its node.
struct FinishedForm {
  bool (*fits)(ir::Value value);
  ir::NoteSet notes;
};

constexpr std::array kForms = {
    FinishedForm{is_converted_from_rounded, {ir::Note::rounded}},
    FinishedForm{is_number_of_run_time_truth, {ir::Note::keeps_seed, ir::Note::may_be_folded}},
    FinishedForm{is_opaque_truth, {ir::Note::opaque_truth}},
    FinishedForm{is_shift_of_random_stream, {ir::Note::keeps_seed, ir::Note::may_be_folded}},
};

bool is_single(ir::Value value) {
  return value.shape().element_count() == 1;
}

/// Marks the forms of the table, states that are stacked, and what is right because an If or a Loop around it
/// has tested something: Loops that run, and operations whose input is not empty.
class FormSearch {
 public:
  void visit(ir::Graph& graph) {
    for (const ir::NodePointer& node : graph.nodes()) add_notes(*node);
    for (ir::Node* node : graph.control_flow()) {
      for (const ir::Body* body : ir::bodies(*node)) captured_.add(*node, *body);
      if (node->loop() != nullptr)
        visit_loop(ir::LoopView(*node));
      else
        visit_branches(ir::IfView(*node));
    }
  }

 private:
  void visit_loop(ir::LoopView loop) {
    if (runs(loop)) loop.node().notes.add(ir::Note::known_to_run);
    for (const ir::Carried& state : loop.states()) mark_if_stacked(loop, state);
    const std::size_t conditions = conditions_.size();
    const std::size_t counts = counts_.size();
    counts_.push_back(loop.trip_count());
    if (const ir::Value condition = condition_of_trip_count(origin(loop.trip_count()))) add_facts(condition);
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
    for (const FinishedForm& form : kForms) {
      if (form.fits(node.value())) node.notes.add(form.notes);
    }
    if (node.is_one_of({ops::StringTensorUnpack, ops::StringTensorPack, ops::Unique}) &&
        has_tested_elements(node.input(0)))
      node.notes.add(ir::Note::not_empty);
  }

  /// Whether one of the counts that are not 0 is the smallest size of `data`, as guard_empty_inputs tests it.
  bool has_tested_elements(ir::Value data) const {
    return is_any(counts_, [&](ir::Value count) {
      const ir::Value tested = data_of_smallest_size(origin(count));
      return tested && ir::have_equal_shapes(tested, data);
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

  /// The value that a Parameter captures, from as far outside as possible; other values themselves.
  ir::Value origin(ir::Value value) const {
    while (const ir::Value outer = captured_.of(value)) value = outer;
    return value;
  }

  /// Adds what follows from `condition`, a boolean that is true.
  void add_facts(ir::Value condition) {
    std::vector<ir::Value> pending{condition};
    for (std::size_t step = 0; !pending.empty() && step < kMaxFacts; ++step) {
      const ir::Value value = origin(pending.back());
      pending.pop_back();
      conditions_.push_back(value);
      if (const ir::Value count = tested_trip_count(value)) counts_.push_back(count);
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
  std::vector<ir::Value> conditions_;  ///< they are true
  std::vector<ir::Value> counts_;      ///< they are not 0
  CapturedValues captured_;
};

}  // namespace

void mark_finished_forms(ir::Model& model) {
  FormSearch().visit(model.graph);
}

}  // namespace onnx2ir::passes
