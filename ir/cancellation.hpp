// Ends a conversion early when the caller does not want it any more.
#pragma once

#include <exception>
#include <functional>

namespace onnx2ir::ir {

/// Thrown by check_cancelled().
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "the conversion was cancelled"; }
};

/// While it exists, the conversions of this thread end when `is_cancelled` says so; it may be empty.
class CancellationScope {
 public:
  explicit CancellationScope(const std::function<bool()>& is_cancelled);
  ~CancellationScope();
  CancellationScope(const CancellationScope&) = delete;
  CancellationScope& operator=(const CancellationScope&) = delete;

 private:
  const std::function<bool()>* outer_;
};

/// Asks, now and then: cheap enough for each node.
void check_cancelled();

}  // namespace onnx2ir::ir
