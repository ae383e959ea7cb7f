// Helpers for the inference functions of ir/ops/.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ir/graph.hpp"
#include "ir/op_descriptor.hpp"

namespace onnx2ir::ir {

/// Throws Failure (invalid_node) with `message`, the reason in terms of the operation. Inference and Builder
/// do so if the types, shapes or values of a node do not fit, because a model can cause that.
[[noreturn]] void invalid(const std::string& message);
/// Throws Failure (invalid_node) with `message` unless `condition` holds. For literals: a computed message
/// would be computed each time.
inline void require(bool condition, std::string_view message) {
  if (!condition) invalid(std::string(message));
}
/// The reason why a node of `op` cannot have `inputs`: their number is wrong, or an input is null. No value
/// if it can have them. To be called before an operation is emitted that the user or a text has chosen,
/// because Builder throws InternalError for such inputs.
std::optional<std::string> input_problem(const OpDescriptor& op, std::span<const Value> inputs);

/// Sets type and shape of output `index`, and clears its known values. For inference; others declare.
void set_output(Node& node, std::size_t index, ElementType type, PartialShape shape);
/// The same for a Parameter, or an output that is inferred later. The nodes that read it become stale.
void declare_output(Node& node, std::size_t index, ElementType type, PartialShape shape);
/// Sets the output of an operation to the type and shape of input 0.
void infer_as_data(Node& node);
/// Sets the known values of output `index`; ignored if their number does not fit the shape.
void set_known(Node& node, std::size_t index, KnownValues values);

/// Converts `axis` in [-rank, rank) to a non-negative index; throws Failure (invalid_node) for others.
std::size_t normalize_axis(std::int64_t axis, std::size_t rank);
/// The common element type of inputs [first, last); throws Failure (invalid_node) if they differ.
ElementType same_type(const Node& node, std::size_t first, std::size_t last);

/// The size along `axis`; dynamic if the rank is.
Dimension dimension_along(const PartialShape& shape, std::size_t axis);
/// The sizes that both admit; throws Failure (invalid_node) with `message` if they have none in common.
Dimension common_dimension(Dimension a, Dimension b, std::string_view message);
/// A known value as a dimension. The caller handles negative values and special meanings.
Dimension to_dimension(const ValueRange& range);
Dimensions to_dimensions(const KnownValues& ranges);

/// Infers `node` again, as when it was created; control flow infers the stale nodes of its bodies. If an
/// output changes, the nodes that read it become stale.
void infer(Node& node);
/// Infers the stale nodes of `graph` in order, and all Loops and Ifs, whose bodies may have stale nodes.
void infer_stale(Graph& graph);
/// Infers every node of `graph` and of its bodies, in order.
void infer(Graph& graph);

}  // namespace onnx2ir::ir
