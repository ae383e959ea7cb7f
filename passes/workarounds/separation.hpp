// Copies that keep OpenVINO from fusing the operations before and after them, and the rows and tests for such
// copies.
#pragma once

#include <algorithm>
#include <limits>

#include "ir/graph.hpp"
#include "ir/shape_tools.hpp"
#include "ir/views/spatial.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/legality/workaround.hpp"

namespace onnx2ir::passes {

/// Whether `node` is a copy that OpenVINO does not recognise: see copy_opaquely().
inline bool is_opaque_copy(const ir::Node& node) {
  return node.is_one_of({ops::Maximum, ops::LogicalOr}) && node.input(0) == node.input(1);
}

/// Whether an opaque copy has separated `node` from its uses.
inline bool is_separated(const ir::Node& node) {
  const auto& uses = node.output(0).uses;
  return uses.size() == 2 && uses[0].node == uses[1].node && is_opaque_copy(*uses[0].node);
}

/// Whether `kApplies`, a function of a node or of a view of it, holds, and no copy separates the node from
/// its uses yet. False for nodes that are computed from constants, because OpenVINO folds them, and for steps
/// of quantised weights.
template <auto kApplies>
bool must_be_separated(const ir::Node& node) {
  return !node.is_computed_from_constants() && !is_separated(node) && kApplies(node) &&
         !computes_weights(node);
}

/// A row that separates the nodes for which must_be_separated<kApplies> holds from their uses.
template <auto kApplies>
LegalizationRow separating_row(Fault fault, const ir::OperationSet& operations,
                               const ir::OperationSet& model_holds = {}) {
  return row<must_be_separated<kApplies>, separate_from_uses>(fault, operations, model_holds);
}

inline constexpr double kNoBound = std::numeric_limits<float>::max();
/// A copy of `value`, a floating-point number, that OpenVINO does not fuse with the operations before and
/// after it.
inline ir::Value clamp_without_effect(ir::Builder& builder, ir::Value value) {
  return builder.op(ops::Clamp, {value}, {{"min", -kNoBound}, {"max", kNoBound}});
}
inline bool has_no_effect(ir::ClampView clamp) {
  return clamp.min() <= -kNoBound && clamp.max() >= kNoBound;
}

/// The operation of `node`, with inputs of type `from` computed in type `to`.
inline ir::Value compute_in(ir::Builder& builder, const ir::Node& node, ir::ElementType from,
                            ir::ElementType to) {
  std::vector<ir::Value> inputs;
  for (const ir::Value input : node.inputs())
    inputs.push_back(input.type() == from ? ir::convert(builder, input, to) : input);
  return ir::convert(builder, builder.clone(node, inputs).value(), node.output(0).type);
}

/// The operations that may have a scale or zero point for each channel.
inline ir::OperationSet arithmetic_and_quantization() {
  ir::OperationSet operations = arithmetic_operations();
  operations.add(ops::FakeQuantize);
  return operations;
}

/// Whether `shape`, that of an operand of a MatMul, has several matrices.
inline bool has_several_matrices(const ir::PartialShape& shape) {
  return shape.has_rank() && shape.rank() > 2 &&
         std::ranges::any_of(shape.dimensions().first(shape.rank() - 2),
                             [](const ir::Dimension& size) { return size != ir::Dimension(1); });
}

/// Whether each group has one channel, or may have one, and several filters.
inline bool has_filters_of_one_channel(ir::GroupConvolutionView convolution) {
  const ir::PartialShape& filters = convolution.filters().shape();
  return filters.has_rank() && filters.rank() > 3 && filters[1] != ir::Dimension(1) && filters[2].admits(1);
}

}  // namespace onnx2ir::passes
