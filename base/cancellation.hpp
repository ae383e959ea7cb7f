// Ends a conversion early at the caller's request.
#pragma once

#include <exception>
#include <functional>

namespace onnx2ir::base {

/// Thrown by check_cancelled().
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "the conversion was cancelled"; }
};

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

/// Calls `is_cancelled` at intervals: cheap enough to be called for each node.
void check_cancelled();

}  // namespace onnx2ir::base
