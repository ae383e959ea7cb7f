// Values that OpenVINO cannot know before a run: what depends on them it neither folds nor gives known sizes.
#pragma once

#include "ir/builder.hpp"

namespace onnx2ir::passes {

/// A copy of `value` that OpenVINO does not remove: between Parameters and Results of a body, Reshape,
/// Convert and Concat vanish at compile time.
ir::Value lasting_copy(ir::Builder& builder, ir::Value value);

/// A number that is 0 or 1, depending on the elements of `source`, which must not be a string.
ir::Value zero_or_one(ir::Builder& builder, ir::Value source);

}  // namespace onnx2ir::passes
