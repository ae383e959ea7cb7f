// Ends a conversion early at the caller's request.
#pragma once

#include <functional>

namespace onnx2ir::base {

/// During its lifetime, conversions of this thread end when `is_cancelled` returns true; it may be empty.
class CancellationScope {
 public:
  explicit CancellationScope(const std::function<bool()>& is_cancelled);
  ~CancellationScope();
  CancellationScope(const CancellationScope&) = delete;
  CancellationScope& operator=(const CancellationScope&) = delete;

 private:
  const std::function<bool()>* outer_;
};

/// Throws Failure (cancelled) if `is_cancelled`, which may be empty, returns true.
void check_cancelled(const std::function<bool()>& is_cancelled);
/// The same with the function of the innermost scope: cheap enough to be called for each node.
void check_cancelled();

}  // namespace onnx2ir::base
