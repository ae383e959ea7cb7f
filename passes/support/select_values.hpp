// Selects one of two values, or a value or an empty tensor, by a boolean that is known at run time.
#pragma once

#include "ir/builder.hpp"

namespace onnx2ir::passes {

/// Whether Select, or logical operations, take elements of this type without another legalisation.
bool can_be_selected(ir::ElementType type);

/// `a` if the boolean scalar `condition` is true, `b` otherwise. Both have the same static shape.
ir::Value choose(ir::Builder& builder, ir::Value condition, ir::Value a, ir::Value b);

/// `value` if the boolean scalar `condition` is `expected`, otherwise an empty tensor: `axis` has size
/// 0.
ir::Value keep_if(ir::Builder& builder, ir::Value condition, bool expected, ir::Value value,
                  std::size_t axis);

}  // namespace onnx2ir::passes
