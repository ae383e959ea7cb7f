// Values that OpenVINO cannot fold: results that depend on them are known only at run time.
#pragma once

#include "ir/builder.hpp"

namespace onnx2ir::passes {

/// A copy of `value` that OpenVINO does not remove. Between Parameters and Results of a body it removes
/// Reshape, Convert and Concat at compile time.
ir::Value opaque_copy(ir::Builder& builder, ir::Value value);

/// A number that is 0 or 1, depending on the elements of `source`, which must not be a string.
ir::Value zero_or_one(ir::Builder& builder, ir::Value source);

/// A boolean scalar that is always true. OpenVINO cannot fold it, also if the model has no inputs.
ir::Value run_time_truth(ir::Builder& builder);

}  // namespace onnx2ir::passes
