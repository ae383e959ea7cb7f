// Ends a conversion early at the caller's request.
#pragma once

#include <functional>

#include "base/failure.hpp"

namespace onnx2ir::base {

/// Throws Failure (cancelled) if `is_cancelled`, which may be empty, returns true. For steps of long loops.
inline void check_cancelled(const std::function<bool()>& is_cancelled) {
  if (is_cancelled && is_cancelled())
    throw Failure(DiagnosticCode::cancelled, "the conversion was cancelled");
}

}  // namespace onnx2ir::base
