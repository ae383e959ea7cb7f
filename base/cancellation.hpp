// Ends a conversion early at the caller's request.
#pragma once

#include <functional>

namespace onnx2ir::base {

/// Throws Failure (cancelled) if `is_cancelled`, which may be empty, returns true. Long loops call it for
/// each step.
void check_cancelled(const std::function<bool()>& is_cancelled);

}  // namespace onnx2ir::base
