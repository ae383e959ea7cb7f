#include "base/cancellation.hpp"

#include "base/failure.hpp"

namespace onnx2ir::base {

void check_cancelled(const std::function<bool()>& is_cancelled) {
  if (is_cancelled && is_cancelled())
    throw Failure(DiagnosticCode::cancelled, "the conversion was cancelled");
}

}  // namespace onnx2ir::base
