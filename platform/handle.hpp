// An open file or folder of the operating system.
#pragma once

#include <cstdint>
#include <utility>

namespace onnx2ir::platform {

/// Owns a descriptor (POSIX) or a HANDLE (Windows). Only the implementations of this layer use the value.
class Handle {
 public:
  static constexpr std::intptr_t kNone = -1;

  Handle() noexcept = default;
  explicit Handle(std::intptr_t value) noexcept : value_(value) {}
  Handle(Handle&& other) noexcept : value_(std::exchange(other.value_, kNone)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle();

  std::intptr_t value() const { return value_; }
  bool is_open() const { return value_ != kNone; }

 private:
  std::intptr_t value_ = kNone;
};

}  // namespace onnx2ir::platform
