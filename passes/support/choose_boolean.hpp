// Chooses between booleans.
#pragma once

#include "ir/builder.hpp"

namespace onnx2ir::passes {

/// Whether Select, or logical operations, take elements of this type without another legalisation.
bool can_be_selected(ir::ElementType type);

/// `a` if the boolean scalar `condition` is true, `b` otherwise. Both are booleans of the same static shape.
/// The CPU plugin's Select rejects some of them: it computes booleans as u8, but outputs of a Loop stay
/// boolean.
ir::Value choose_boolean(ir::Builder& builder, ir::Value condition, ir::Value a, ir::Value b);

}  // namespace onnx2ir::passes
