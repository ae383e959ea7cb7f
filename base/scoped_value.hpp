// Variables that have another value in a scope.
#pragma once

#include <utility>

namespace onnx2ir::base {

/// Gives `variable` the value `value` while it exists.
template <typename T>
class ScopedValue {
 public:
  ScopedValue(T& variable, T value)
      : variable_(variable), outer_(std::exchange(variable, std::move(value))) {}
  ScopedValue(const ScopedValue&) = delete;
  ScopedValue& operator=(const ScopedValue&) = delete;
  ~ScopedValue() { variable_ = std::move(outer_); }

 private:
  T& variable_;
  T outer_;
};

}  // namespace onnx2ir::base
