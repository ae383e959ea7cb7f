#include "passes/analysis/size_changes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ir/size_rules.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/spatial.hpp"
#include "ir/views/vision.hpp"
#include "passes/support/final_or_initial.hpp"
#include "passes/support/stacked_values.hpp"

namespace onnx2ir::passes {
namespace {

/// The number of elements of a value, relative to that of the Parameter `origin` at the start of the same
/// iteration. Without an origin it is the same in each iteration.
struct RelativeSize {
  const ir::Node* origin = nullptr;
  bool may_grow = false;
  bool may_shrink = false;
};
/// No value for most values: nothing is known of their size.
using KnownSize = std::optional<RelativeSize>;

/// `size` after changes that may let it grow or shrink.
RelativeSize changed(const RelativeSize& size, bool may_grow, bool may_shrink) {
  return {size.origin, size.may_grow || may_grow, size.may_shrink || may_shrink};
}

/// Visits a loop's body and its inner bodies, from the Parameters to the Results.
class SizeTracker {
 public:
  explicit SizeTracker(const ir::LoopBody& body) {
    for (const ir::Invariant& invariant : body.invariants) {
      sizes_[{invariant.parameter, 0}] = {};
      fixed_.insert(invariant.parameter);
    }
    follow_states(body);
  }

  KnownSize of(ir::Value value) const {
    if (value.shape().is_static()) return RelativeSize{};
    const auto found = sizes_.find({value.node, value.index});
    return found == sizes_.end() ? KnownSize() : found->second;
  }

 private:
  void visit(const ir::Graph& graph) {
    for (const ir::NodePointer& node : graph.nodes()) {
      if (node->loop() != nullptr) {
        through_loop(ir::LoopView(*node));
      } else if (node->branches() != nullptr) {
        through_branches(ir::IfView(*node));
      } else if (is_fixed(*node)) {
        fixed_.insert(node.get());
        for (std::uint32_t i = 0; i < node->outputs().size(); ++i) sizes_[{node.get(), i}] = {};
      } else if (const KnownSize size = size_of_result(*node)) {
        sizes_[{node.get(), 0}] = *size;
      }
    }
  }

  /// Whether the node computes the same values in each iteration.
  bool is_fixed(const ir::Node& node) const {
    if (node.is(ops::Parameter) || node.op().traits.is_volatile) return false;
    return std::ranges::all_of(node.inputs(), [&](ir::Value input) { return fixed_.contains(input.node); });
  }

  KnownSize size_of_result(const ir::Node& node) const {
    if (node.inputs().empty()) return std::nullopt;
    const ir::Traits& traits = node.op().traits;
    if (traits.broadcasts) return of_broadcast(node);
    if (node.is(ops::Concat)) return of_concat(node);
    KnownSize size = of(node.input(0));
    if (!size) return std::nullopt;
    // A stack counts as its first copy: its other copies change no size in a later run of a pass.
    if (traits.keeps_shape || traits.rearranges || is_of_stack(node)) return size;
    if ((traits.is_reduction || node.is(ops::Slice)) && size->origin != nullptr) {
      size->may_shrink = true;
      return size;
    }
    // The copy of the output of a Loop: the whole value, and nothing.
    const auto split = ir::match<ir::VariadicSplitView>(node);
    if (split && ir::exact_values(split->lengths()) == ir::Integers{-1, 0}) return size;
    if (node.is(ops::MatMul)) return of_product(node, *size);
    if (node.is(ops::Interpolate)) return of_resized(node, *size);
    return node.is_one_of({ops::Convolution, ops::MaxPool, ops::AvgPool}) ? of_window(node, *size)
                                                                          : std::nullopt;
  }

  /// Each other operand must have one element along an axis, or the size of the result.
  KnownSize of_broadcast(const ir::Node& node) const {
    KnownSize result;
    for (const ir::Value input : node.inputs()) {
      if (input.shape().element_count() == 1 || fits_into_others(input, node)) continue;
      const KnownSize size = of(input);
      if (!size) return std::nullopt;
      if (!result) {
        result = size;
        continue;
      }
      const bool is_other =
          size->origin != nullptr && result->origin != nullptr && size->origin != result->origin;
      if (is_other) return std::nullopt;
      const bool grows = size->origin != result->origin;  // at most once, from 1
      if (size->origin != nullptr) result->origin = size->origin;
      result = changed(*result, size->may_grow || grows, size->may_shrink);
    }
    return result ? result : RelativeSize{};
  }

  /// Whether an operand of static shape, such as a bias per channel, makes no axis of a dynamic operand
  /// longer.
  static bool fits_into_others(ir::Value operand, const ir::Node& node) {
    const ir::PartialShape& small = operand.shape();
    if (!small.is_static()) return false;
    return std::ranges::any_of(node.inputs(), [&](ir::Value other) {
      const ir::PartialShape& large = other.shape();
      if (large.is_static() || !large.has_rank() || large.rank() < small.rank()) return false;
      const std::size_t missing = large.rank() - small.rank();
      for (std::size_t axis = 0; axis < small.rank(); ++axis) {
        if (small[axis] != ir::Dimension(1) && small[axis] != large[axis + missing]) return false;
      }
      return true;
    });
  }

  KnownSize of_concat(const ir::Node& node) const {
    // A guard for zero iterations takes the final or the initial value of a loop.
    if (const auto guard = joined_values(node)) {
      const bool is_same =
          !guard->final.shape().is_scalar() && ir::have_equal_shapes(guard->final, guard->initial);
      return is_same ? of(guard->initial) : one_of(of(guard->final), of(guard->initial));
    }
    bool is_fixed = true;
    for (const ir::Value input : node.inputs()) {
      const KnownSize size = of(input);
      if (size && size->origin != nullptr) return changed(*size, true, false);
      is_fixed = is_fixed && size;
    }
    return is_fixed ? KnownSize(RelativeSize{}) : std::nullopt;
  }

  /// The product of rows and a square matrix of static size.
  static KnownSize of_product(ir::MatMulView product, RelativeSize rows) {
    const ir::PartialShape& data = product.a().shape();
    const auto matrix = product.b().shape().sizes();
    const bool is_square = matrix && matrix->size() == 2 && (*matrix)[0] == (*matrix)[1];
    if (!is_square || !data.has_rank() || data.rank() < 2 || product.transpose_a()) return std::nullopt;
    return rows;
  }

  /// Scales of at least 1 shrink no axis, scales of at most 1 let none grow.
  static KnownSize of_resized(ir::InterpolateView resize, RelativeSize size) {
    if (resize.shape_calculation_mode() != "scales") return std::nullopt;
    const auto scales = ir::exact_numbers(resize.sizes());
    if (!scales) return std::nullopt;
    for (const double scale : *scales) size = changed(size, scale > 1, scale < 1);
    return size;
  }

  /// Windows over the axes after batch and channels: an axis shrinks by what a window covers beyond the
  /// padding, and by the stride.
  static KnownSize of_window(ir::WindowView operation, RelativeSize size) {
    const ir::PartialShape& before = operation.data().shape();
    const ir::PartialShape& after = operation.output(0).shape;
    const auto window = window_of(operation);
    if (!window || !before.has_rank(window->size() + 2) || before[1].is_dynamic() || before[1] != after[1])
      return std::nullopt;
    const std::string_view padding = operation.auto_pad();
    const bool is_same = padding == "same_upper" || padding == "same_lower";
    for (std::size_t i = 0; i < window->size(); ++i) {
      const std::int64_t beyond = (*window)[i] - 1;
      const std::int64_t pads = padding == "valid" ? 0 : operation.pads_begin()[i] + operation.pads_end()[i];
      size =
          changed(size, !is_same && pads > beyond, operation.strides()[i] > 1 || (!is_same && pads < beyond));
    }
    return size;
  }

  /// The sizes of a window with its dilations.
  static std::optional<std::vector<std::int64_t>> window_of(ir::WindowView operation) {
    std::vector<std::int64_t> sizes;
    if (const auto convolution = ir::match<ir::ConvolutionView>(operation.node())) {
      const auto filter = convolution->filters().shape().sizes();
      if (!filter || filter->size() < 3) return std::nullopt;
      sizes.assign(filter->begin() + 2, filter->end());
    } else {
      sizes = ir::AnyPoolView(operation).kernel().list().unchecked();
    }
    const auto dilations = operation.dilations();
    if (!dilations) return sizes;
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = (sizes[i] - 1) * (*dilations)[i] + 1;
    return sizes;
  }

  void through_branches(ir::IfView if_view) {
    for (const ir::Branch* branch : if_view.branches()) {
      follow_invariants(if_view.node(), *branch);
      visit(*branch->graph);
    }
    for (std::uint32_t i = 0; i < if_view.node().outputs().size(); ++i) {
      const auto results = if_view.results(i);
      const KnownSize size = one_of(of(results[0]->input(0)), of(results[1]->input(0)));
      if (size) sizes_[{&if_view.node(), i}] = *size;
    }
  }

  void through_loop(ir::LoopView loop) {
    follow_invariants(loop.node(), loop.body());
    follow_states(loop.body());
    for (const ir::Carried& state : loop.states()) {
      const KnownSize initial = of(loop.outer(state));
      const KnownSize next = of(state.result->input(0));
      if (!state.output || !initial || !next || next->origin != state.parameter) continue;
      const bool changes = next->may_grow || next->may_shrink;
      if (initial->origin == nullptr && changes) continue;
      sizes_[{&loop.node(), *state.output}] = changed(*initial, next->may_grow, next->may_shrink);
    }
  }

  void follow_states(const ir::LoopBody& body) {
    for (const ir::Carried& state : body.carried) sizes_[{state.parameter, 0}] = {.origin = state.parameter};
    visit(*body.graph);
  }

  void follow_invariants(const ir::Node& node, const ir::Body& body) {
    for (const ir::Invariant& invariant : body.invariants) {
      const ir::Value outer = node.input(invariant.input);
      if (const KnownSize size = of(outer)) sizes_[{invariant.parameter, 0}] = *size;
      if (fixed_.contains(outer.node)) fixed_.insert(invariant.parameter);
    }
  }

  /// The size of a value that is one of two values.
  static KnownSize one_of(const KnownSize& a, const KnownSize& b) {
    // Two sizes without an origin may alternate.
    if (!a || !b || a->origin != b->origin || a->origin == nullptr) return std::nullopt;
    return changed(*a, b->may_grow, b->may_shrink);
  }

  std::map<std::pair<const ir::Node*, std::uint32_t>, RelativeSize> sizes_;  ///< only used for look-ups
  std::unordered_set<const ir::Node*> fixed_;  ///< nodes with the same values in each iteration
};

}  // namespace

bool keeps_sizes(const ir::Carried& state) {
  const ir::Value parameter = state.parameter->value();
  const ir::Value next = state.result->input(0);
  return parameter.shape().is_static() || next == parameter || ir::have_equal_shapes(next, parameter);
}

std::vector<bool> states_that_grow_and_shrink(ir::LoopView loop) {
  const std::vector<ir::Carried>& states = loop.states();
  std::vector<bool> result(states.size(), false);
  const auto is_dynamic = [](const ir::Carried& state) {
    return !state.parameter->output(0).shape.is_static();
  };
  if (std::ranges::none_of(states, is_dynamic)) return result;
  const SizeTracker tracking(loop.body());
  const auto keeps_size = [](const RelativeSize& size, const ir::Node* parameter) {
    return size.origin == nullptr || (size.origin == parameter && !size.may_grow && !size.may_shrink);
  };
  // A state that takes the size of another state, which keeps its size, changes its size only once.
  std::unordered_map<const ir::Node*, bool> keeps;
  for (const ir::Carried& state : states) {
    const KnownSize next = tracking.of(state.result->input(0));
    keeps[state.parameter] = next && keeps_size(*next, state.parameter);
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!is_dynamic(states[i])) continue;
    const KnownSize next = tracking.of(states[i].result->input(0));
    const bool is_settled = next && (next->origin == nullptr || next->origin == states[i].parameter
                                         ? !(next->may_grow && next->may_shrink)
                                         : keeps[next->origin] && !next->may_grow && !next->may_shrink);
    result[i] = !is_settled;
  }
  return result;
}

}  // namespace onnx2ir::passes
