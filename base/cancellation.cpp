#include "base/cancellation.hpp"

#include "base/failure.hpp"

namespace onnx2ir::base {
namespace {

thread_local const std::function<bool()>* current = nullptr;

}  // namespace

CancellationScope::CancellationScope(const std::function<bool()>& is_cancelled) : outer_(current) {
  current = is_cancelled ? &is_cancelled : nullptr;
}

CancellationScope::~CancellationScope() {
  current = outer_;
}

void check_cancelled(const std::function<bool()>& is_cancelled) {
  if (is_cancelled && is_cancelled())
    throw Failure(DiagnosticCode::cancelled, "the conversion was cancelled");
}

void check_cancelled() {
  if (current != nullptr) check_cancelled(*current);
}

}  // namespace onnx2ir::base
