#include "ir/inference.hpp"

#include <algorithm>
#include <utility>

#include "ir/builder.hpp"
#include "ir/checked_arithmetic.hpp"
#include "ir/size_rules.hpp"

namespace onnx2ir::ir {

void invalid(const std::string& message) {
  throw base::Failure(DiagnosticCode::invalid_node, message);
}

std::optional<std::string> input_problem(const OpDescriptor& op, std::span<const Value> inputs) {
  if (!op.takes(inputs.size()))
    return std::string(op.name) + " cannot have " + std::to_string(inputs.size()) + " inputs";
  const auto absent = std::ranges::find(inputs, Value{});
  if (absent == inputs.end()) return std::nullopt;
  return "input " + std::to_string(absent - inputs.begin()) + " of " + std::string(op.name) + " is absent";
}

void fail_missing_element(std::size_t index, std::size_t size) {
  throw base::InternalError("a list of " + std::to_string(size) + (size == 1 ? " element" : " elements") +
                            " has no element " + std::to_string(index));
}

void fail_overflow() {
  invalid("a size does not fit into 64 bits");
}

void fail_division(std::int64_t divisor) {
  invalid("a size is divided by " + std::to_string(divisor));
}

void fail_count(std::int64_t count, std::int64_t most) {
  invalid(count < 0 ? "a list cannot have " + std::to_string(count) + " elements"
                    : "a list of " + std::to_string(count) + " elements exceeds the limit of " +
                          std::to_string(most));
}

std::int64_t checked_size(double number) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(number >= 0 && number < kLimit)) invalid(std::to_string(number) + " is not a valid size");
  return static_cast<std::int64_t>(number);
}

void set_output(Node& node, std::size_t index, ElementType type, PartialShape shape) {
  if (shape.has_rank()) check_rank(shape.rank());
  Output& output = node.output(index);
  output.type = type;
  node.graph().types_.add(type);
  set_dimension_sizes(node, index, shape);
  output.shape = std::move(shape);
  output.known.reset();
  set_element_sizes(node, index);
}

void declare_output(Node& node, std::size_t index, ElementType type, PartialShape shape) {
  set_output(node, index, type, std::move(shape));
  mark_readers_stale(node.output(index));
}

void infer_as_data(Node& node) {
  set_output(node, 0, node.input(0).type(), node.input(0).shape());
}

void set_known(Node& node, std::size_t index, KnownValues values) {
  Output& output = node.output(index);
  const auto count = output.shape.element_count();
  if (!count || *count != static_cast<std::int64_t>(values.size()) || *count > kMaxKnownElements) return;
  output.known = std::make_unique<const KnownValues>(std::move(values));
}

std::size_t normalize_axis(std::int64_t axis, std::size_t rank) {
  const auto index = position_in(axis, rank);
  if (!index) invalid("axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank));
  return *index;
}

ElementType same_type(const Node& node, std::size_t first, std::size_t last) {
  const ElementType type = node.input(first).type();
  for (std::size_t i = first + 1; i < last; ++i) {
    const ElementType other = node.input(i).type();
    if (other != type) {
      invalid("inputs differ in element type: " + std::string(info(type).name) + " and " +
              std::string(info(other).name));
    }
  }
  return type;
}

Dimension dimension_along(const PartialShape& shape, std::size_t axis) {
  return shape.has_rank() ? shape[axis] : Dimension();
}

Dimension common_dimension(Dimension a, Dimension b, std::string_view message) {
  const auto common = intersect(a, b);
  require(common.has_value(), message);
  return *common;
}

Dimension to_dimension(const ValueRange& range) {
  const std::int64_t min = std::max<std::int64_t>(range.min, 0);
  const bool bounded = range.max != std::numeric_limits<std::int64_t>::max();
  return {min, bounded ? std::max(range.max, min) : Dimension::kUnbounded};
}

Dimensions to_dimensions(const KnownValues& ranges) {
  Dimensions dimensions;
  for (const ValueRange& range : ranges) dimensions.push_back(to_dimension(range));
  return dimensions;
}

namespace {

/// What other nodes can see of an output.
struct Visible {
  ElementType type;
  PartialShape shape;
  std::optional<KnownValues> known;
  std::optional<ElementSizes> elements;

  explicit Visible(const Output& output) : type(output.type), shape(output.shape) {
    if (output.known != nullptr) known = *output.known;
    if (output.elements != nullptr) elements = *output.elements;
  }
};

template <typename T>
bool is_same(const std::optional<T>& before, const std::unique_ptr<const T>& now) {
  return before.has_value() == (now != nullptr) && (!before || *before == *now);
}

bool is_same(const Visible& before, const Output& now) {
  return before.type == now.type && is_identical(before.shape, now.shape) &&
         is_same(before.known, now.known) && is_same(before.elements, now.elements);
}

/// Marks all nodes of `graph` and of its bodies.
void mark_all_stale(Graph& graph) {
  graph.may_have_stale_nodes = true;
  for (const auto& node : graph.nodes()) node->is_stale = true;
  for (Node* const node : graph.control_flow()) {
    for (Body* const body : bodies(*node)) mark_all_stale(*body->graph);
  }
}

/// Whether a body of `node` may have stale nodes, or a body in it.
bool has_stale_body(Node& node) {
  return std::ranges::any_of(bodies(node), [](const Body* body) {
    const Graph* const graph = body->graph.get();
    return graph == nullptr || graph->may_have_stale_nodes ||
           std::ranges::any_of(graph->control_flow(), [](Node* inner) { return has_stale_body(*inner); });
  });
}

[[noreturn]] void fail_type(std::size_t input, std::string_view taken, ElementType type) {
  invalid("input " + std::to_string(input) + " must be " + std::string(taken) + ", not " +
          std::string(info(type).name));
}

/// The inputs that are sizes, axes or indices.
void require_integers(const Node& node) {
  const Traits& traits = node.op().traits;
  if (traits.takes_real_sizes) return;
  for (const InputRange& range : {traits.sizes, traits.indices}) {
    for (std::size_t i = range.first; i <= range.last && i < node.inputs().size(); ++i) {
      const ElementType type = node.input(i).type();
      if (!is_integral(type) && type != ElementType::dynamic) fail_type(i, "integers", type);
    }
  }
}

/// The last operand of an operation can be several inputs.
void require_ranks(const Node& node) {
  const std::vector<int>& ranks = node.op().ranks;
  for (std::size_t i = 0; !ranks.empty() && i < node.inputs().size(); ++i) {
    const int rank = ranks[std::min(i, ranks.size() - 1)];
    const PartialShape& shape = node.input(i).shape();
    if (rank != OpDescriptor::kAnyRank && shape.has_rank() && std::cmp_not_equal(shape.rank(), rank))
      invalid("input " + std::to_string(i) + " has shape " + to_string(shape) + ", not rank " +
              std::to_string(rank));
  }
}

/// Checks types and ranks that do not depend on the attributes and on other inputs.
void check_inputs(const Node& node) {
  require_ranks(node);
  require_integers(node);
  if (node.op().traits.takes_numbers && node.input(0).type() == ElementType::boolean)
    fail_type(0, "numbers", ElementType::boolean);
  if (node.op().traits.takes_strings || !node.graph().may_hold(ElementType::string)) return;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    if (node.input(i).type() == ElementType::string) fail_type(i, "numbers", ElementType::string);
  }
}

}  // namespace

void infer(Node& node) {
  node.is_stale = false;
  check_inputs(node);
  if (!node.has_uses()) {
    node.op().infer(node);
    return;
  }
  const base::SmallVector<Visible, 1> before(node.outputs().begin(), node.outputs().end());
  node.op().infer(node);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!is_same(before[i], node.output(i))) mark_readers_stale(node.output(i));
  }
}

void infer_stale(Graph& graph) {
  graph.may_have_stale_nodes = false;
  for (const auto& node : graph.nodes()) {
    if (node->is_stale || (node->op().traits.has_bodies && has_stale_body(*node))) infer(*node);
  }
}

void infer(Graph& graph) {
  mark_all_stale(graph);
  infer_stale(graph);
}

}  // namespace onnx2ir::ir
