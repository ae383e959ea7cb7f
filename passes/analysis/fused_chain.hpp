// The elementwise operations after an operation that OpenVINO may fuse into it, and their constants.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::passes {

bool is_elementwise(const ir::Node& node);

/// Whether `node` moves or selects elements of its data: OpenVINO moves scales and zero points of quantised
/// numbers through such operations.
bool moves_elements(const ir::Node& node);

/// The elementwise operations after `node`, in order: each is the only reader of the one before it.
std::vector<const ir::Node*> chain_after(const ir::Node& node);

/// The part of that chain before the first conversion.
std::vector<const ir::Node*> chain_until_conversion(const ir::Node& node);

/// The only operation that reads output 0 of `node`, if it is elementwise; null otherwise. Operations that
/// only reshape or transpose are skipped, because OpenVINO moves elementwise operations before them.
ir::Node* fused_reader(const ir::Node& node);

/// The constant operand of an elementwise operation; null if it has none.
ir::Value constant_operand(const ir::Node& node);

/// The operand of an elementwise operation or of a FakeQuantize that is not computed from constants; null if
/// all are.
ir::Value variable_operand(const ir::Node& node);

/// The operand that `node` multiplies or divides by a constant; null for other nodes.
ir::Value scaled_operand(const ir::Node& node);

/// Whether `node` negates numbers; no value if that depends on unknown elements of a constant.
std::optional<bool> negates(const ir::Node& node);

/// Whether `node` negates numbers, subtracts them from a constant, or multiplies or divides them by a
/// constant of which an element may be negative.
bool may_change_signs(const ir::Node& node);

/// The readers of `node`, also after operations that are elementwise or move elements: at most 64, so that
/// values with many readers cost no more than others.
std::vector<const ir::Node*> readers_past_moves(const ir::Node& node);

/// The axes of a tensor of `rank` axes along which the constant has several elements.
std::vector<std::size_t> axes_of(const ir::Value& constant, std::size_t rank);

/// The axes along which the constants of a FakeQuantize, or of arithmetic, have several elements.
std::vector<std::size_t> scaled_axes(const ir::Node& node);

}  // namespace onnx2ir::passes
