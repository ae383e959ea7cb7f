// Limits the memory of a conversion that grows with the model.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace onnx2ir::base {

/// Counts bytes taken and returned, by any thread.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t most) : most_(most) {}
  /// Throws std::bad_alloc if the limit would be exceeded.
  void take(std::uint64_t bytes);
  void release(std::uint64_t bytes) { taken_ -= bytes; }
  void raise(std::uint64_t bytes) { most_ += bytes; }

 private:
  std::atomic<std::uint64_t> most_;
  std::atomic<std::uint64_t> taken_{0};
};

/// The budget of a conversion without a limit of its own: with raise_default_budget(), files of 100 KB stay
/// below 1 GiB, including what is not counted.
inline constexpr std::uint64_t kDefaultBudget = std::uint64_t{512} << 20U;

/// Sets the budget of this thread during the lifetime of the scope. 0 bytes: no limit; no value: the default.
class MemoryBudgetScope {
 public:
  explicit MemoryBudgetScope(std::optional<std::uint64_t> most);
  MemoryBudgetScope(const MemoryBudgetScope&) = delete;
  MemoryBudgetScope& operator=(const MemoryBudgetScope&) = delete;
  ~MemoryBudgetScope();

 private:
  std::shared_ptr<MemoryBudget> outer_;
  bool was_default_;
};

/// Takes bytes from the budget of this thread, if it has one, during the lifetime of the charge.
class MemoryCharge {
 public:
  /// Throws std::bad_alloc if the budget is exhausted.
  explicit MemoryCharge(std::uint64_t bytes);
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;
  ~MemoryCharge() {
    if (budget_ != nullptr) budget_->release(bytes_);
  }

 private:
  std::shared_ptr<MemoryBudget> budget_;
  std::uint64_t bytes_;
};

/// Raises the budget of this thread if it is the default one.
void raise_default_budget(std::uint64_t bytes);

/// Takes bytes that are not returned before the conversion ends.
void charge_permanently(std::uint64_t bytes);

}  // namespace onnx2ir::base
