// Helpers for the inference functions of ir/ops/.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.hpp"
#include "ir/op_descriptor.hpp"

namespace onnx2ir::ir {

/// Throws InvalidNode with `message`.
[[noreturn]] void invalid(const std::string& message);
/// Throws InvalidNode with `message` unless `condition` holds.
inline void require(bool condition, std::string_view message) {
  if (!condition) invalid(std::string(message));
}

/// Sets type and shape of output `index` and forgets its known values.
void set_output(Node& node, std::size_t index, ElementType type, PartialShape shape);
/// Sets the known values of output `index`; dropped when they do not fit its shape.
void set_known(Node& node, std::size_t index, KnownValues values);

/// `axis` in [-rank, rank) made non-negative; throws InvalidNode otherwise.
std::size_t normalize_axis(std::int64_t axis, std::size_t rank);
/// The common element type of inputs [first, last); throws InvalidNode when they differ.
ElementType same_type(const Node& node, std::size_t first, std::size_t last);

/// Known values as dimensions: exact or interval, negative ones (and special meanings) are the caller's
/// business.
Dimension to_dimension(const ValueRange& range);
ValueRange to_range(const Dimension& dimension);

/// Infers `node` again, as if it were made anew; control flow infers its bodies.
void infer(Node& node);
/// The same for a Loop or If that was just made around bodies whose nodes were inferred one by one: they are
/// inferred again only when their parameters have to change.
void infer_around_bodies(Node& node);
/// Infers every node of `graph` in order.
void infer(Graph& graph);

}  // namespace onnx2ir::ir
