#include "passes/analysis/caches.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "ir/cache_names.hpp"
#include "ir/control_flow.hpp"
#include "ir/shape_tools.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/selection.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/analysis/operation_groups.hpp"

namespace onnx2ir::passes {
namespace {

bool fit(const ir::Output& past, const ir::Output& present) {
  return past.type == present.type && past.shape.rank() > 0 && present.shape.has_rank(past.shape.rank());
}

constexpr int kMaxSteps = 8;  ///< from a cache as an output up to the Concat

/// How a cache is made from the one before.
struct CacheUpdate {
  std::size_t axis;
  bool is_whole;            ///< no elements are removed afterwards
  bool is_rolling = false;  ///< a number of them is removed that is known only at run time
  const ir::Node* concat = nullptr;
};

std::optional<CacheUpdate> appended(ir::Value present, ir::Value past, int steps = kMaxSteps);

std::optional<CacheUpdate> appended_in_branches(ir::Value present, ir::Value past, int steps) {
  ir::Node& node = *present.node;
  const ir::IfView view(node);
  const auto results = view.results(present.index);
  const auto branches = view.branches();
  for (std::size_t i = 0; i < branches.size(); ++i) {
    for (const ir::Invariant& invariant : branches[i]->invariants) {
      if (before_conversions(node.input(invariant.input)) != past) continue;
      if (const auto found = appended(results[i]->input(0), invariant.parameter->value(), steps))
        return found;
    }
  }
  return std::nullopt;
}

/// The Concat of `past` with new elements from which `present` is made; no value if it is made otherwise.
std::optional<CacheUpdate> appended(ir::Value present, ir::Value past, int steps) {
  const ir::Node& node = *present.node;
  if (steps == 0) return std::nullopt;
  if (node.branches() != nullptr) return appended_in_branches(present, past, steps - 1);
  if (const auto concat = ir::match<ir::ConcatView>(node)) {
    const bool is_cache = std::ranges::any_of(
        concat->parts(), [&](ir::Value part) { return before_conversions(part) == past; });
    if (!is_cache) return std::nullopt;
    return CacheUpdate{.axis = joined_axis(*concat), .is_whole = true, .concat = &node};
  }
  if (!node.is_one_of({ops::Convert, ops::Gather, ops::Slice})) return std::nullopt;
  auto found = appended(node.input(0), past, steps - 1);
  if (found && !node.is(ops::Convert)) found->is_whole = false;
  const auto slice = ir::match<ir::SliceView>(node);
  if (found && slice && !ir::exact_values(slice->start())) found->is_rolling = true;
  return found;
}

/// Whether `value` is computed from the elements of `past`. Its shape alone gives the positions of new
/// tokens. The nearest nodes are visited first: the other layers of the model are behind them.
bool is_computed_from(ir::Value value, ir::Value past) {
  std::unordered_set<const ir::Node*> seen;
  std::vector<const ir::Node*> open = {value.node};
  for (std::size_t i = 0; i < open.size(); ++i) {
    const ir::Node& node = *open[i];
    if (&node == past.node) return true;
    if (node.is(ops::ShapeOf) || !seen.insert(&node).second) continue;
    for (const ir::Value input : node.inputs()) open.push_back(input.node);
  }
  return false;
}

/// The dynamic axes, without the axis `known`.
std::vector<std::size_t> open_axes(const ir::PartialShape& shape, std::optional<std::size_t> known) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (i != known && shape[i].is_dynamic()) axes.push_back(i);
  }
  return axes;
}

/// The axis of the batch; no value if none is known. `length`: the axis that grows, if it is known.
std::optional<std::size_t> batch_axis(const ir::PartialShape& shape, const ir::Dimension& batch,
                                      std::optional<std::size_t> length) {
  const auto may_be_batch = [&](std::size_t axis) {
    const ir::Dimension& size = shape[axis];
    return axis != length && (size.is_dynamic() || size == ir::Dimension(1) || size == batch);
  };
  const std::size_t usual = ir::batch_axis_of_cache(shape);
  if (usual != 0 && may_be_batch(usual)) return usual;
  const std::vector<std::size_t> open = open_axes(shape, length);
  const std::size_t needed = length ? 1 : 2;  // one of them may be the length
  if (!open.empty() && (open.front() == 0 || open.size() >= needed)) return open.front();
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (may_be_batch(axis) && shape[axis].is_static()) return axis;
  }
  return std::nullopt;
}

/// How many rows of the cache belong to a row of the batch, whose size is `batch`, if the elements that are
/// appended to the cache have a multiple of its rows; otherwise 1.
std::int64_t rows_in_batch(const CacheUpdate& how, ir::Value past, std::size_t axis,
                           const ir::Dimension& batch) {
  if (axis == how.axis || batch.expression() == nullptr) return 1;
  for (const ir::Value part : how.concat->inputs()) {
    if (before_conversions(part) == past) continue;
    const ir::Size rows = ir::size_along(part, axis);
    if (rows == nullptr || rows->table != batch.expression()->table) continue;
    const ir::Size quotient = rows->table->exact_quotient(rows, batch.expression());
    if (quotient != nullptr && quotient->constant() > 1) return *quotient->constant();
  }
  return 1;
}

/// The shape of a variable: it must fit what the first inference reads and what every inference writes. For
/// example, the size of a head may be known of one of the two only.
ir::PartialShape shape_of_variable(const ir::PartialShape& past, const ir::PartialShape& present) {
  ir::PartialShape shape = ir::PartialShape::of_rank(past.rank());
  for (std::size_t i = 0; i < past.rank(); ++i) {
    const ir::Dimension& size = past[i].is_static() ? past[i] : present[i];
    if (size.is_static()) shape[i] = size;
  }
  return shape;
}

/// Whether a convolution reads `cache`: it gives fewer elements than an operation on zeros would if the cache
/// is empty at first.
bool is_convolved(const ir::Node& cache) {
  constexpr std::size_t kMostNodes = 64;
  return any_after(cache, kMostNodes, [](const ir::Use& use) {
    if (use.node->is_one_of(kConvolutions)) return use.index == 0 ? Search::found : Search::skip;
    const bool passes_on =
        use.node->is_one_of({ops::Convert, ops::Concat}) || use.node->op().traits.rearranges;
    return passes_on ? Search::follow : Search::skip;
  });
}

/// Why the sizes of the cache before the first inference are not known; no value if they are.
std::optional<std::string> length_problem(const CacheEnds& cache, const CacheVariable& variable,
                                          const std::optional<CacheUpdate>& how) {
  const ir::PartialShape& past = cache.past->output(0).shape;
  const ir::PartialShape& present = cache.present->input(0).shape();
  const std::string shape = ir::to_string(past);
  const std::vector<std::size_t> open = open_axes(variable.shape, variable.batch_axis);
  if (open.size() > 1) return fmt::format("has the shape {}: which size is its length is not known", shape);
  if (how && how->is_whole && past[how->axis].is_static() && past[how->axis] != present[how->axis])
    return fmt::format("has the fixed length {} as an input, but elements are appended to it",
                       ir::to_string(past[how->axis]));
  if (open.empty()) {
    const bool is_length_fixed =
        how ? past[how->axis].is_dynamic() : open_axes(past, variable.batch_axis).size() == 1;
    if (!is_length_fixed) return std::nullopt;
    return fmt::format(
        "has the shape {} as an input and {} as an output, so that its length at first is not known", shape,
        ir::to_string(present));
  }
  const std::size_t length = open.front();
  const bool may_grow = how && how->is_whole;
  if (may_grow && how->axis != length)
    return fmt::format("has the shape {}, and its dynamic size is not the one that grows", shape);
  if (is_convolved(*cache.past))
    return fmt::format("has the shape {} and is read by a convolution, which needs its length", shape);
  if (how && how->is_rolling)
    return fmt::format(
        "has the shape {} and loses as many elements as the model computes, so that its length at "
        "first is not known",
        shape);
  if (!may_grow && ir::have_equal_sizes(cache.past->value(), length, cache.present->input(0), length))
    return fmt::format("has the shape {} and does not grow, so that its length is not known", shape);
  if (!how && !is_computed_from(cache.present->input(0), cache.past->value()))
    return fmt::format("is not part of the output '{}', which may have the new elements only",
                       cache.present->name);
  return std::nullopt;
}

}  // namespace

std::vector<CacheEnds> caches_of(const ir::Graph& graph) {
  std::map<std::string, ir::Node*> presents;
  for (ir::Node* result : graph.results()) {
    if (const auto key = ir::key_of_present(result->name)) presents.emplace(*key, result);
  }
  std::vector<CacheEnds> caches;
  for (ir::Node* parameter : graph.parameters()) {
    const auto key = ir::key_of_past(parameter->name);
    const auto found = key ? presents.find(*key) : presents.end();
    if (found == presents.end() || !fit(parameter->output(0), found->second->output(0))) continue;
    caches.push_back({parameter, found->second});
    presents.erase(found);
  }
  return caches;
}

Result<CacheVariable> variable_for(const CacheEnds& cache, const ir::Dimension& batch) {
  const ir::PartialShape& past = cache.past->output(0).shape;
  const ir::PartialShape& present = cache.present->output(0).shape;
  const auto problem = [](std::string reason) {
    return Problem{DiagnosticCode::unknown_cache_size, std::move(reason)};
  };
  if (!ir::intersect(past, present))
    return problem(fmt::format("has the shape {} as an input and {} as an output", ir::to_string(past),
                               ir::to_string(present)));
  const auto how = appended(cache.present->input(0), cache.past->value());
  const auto axis = batch_axis(past, batch, how ? std::optional(how->axis) : std::nullopt);
  if (!axis)
    return problem(
        fmt::format("has the shape {}: which size is its batch is not known", ir::to_string(past)));
  CacheVariable variable{.batch_axis = *axis, .shape = shape_of_variable(past, present)};
  if (how) variable.rows = rows_in_batch(*how, cache.past->value(), *axis, batch);
  if (auto reason = length_problem(cache, variable, how)) return problem(std::move(*reason));
  return variable;
}

}  // namespace onnx2ir::passes
