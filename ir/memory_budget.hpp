// How much memory a conversion may take for what grows with the model.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace onnx2ir::ir {

/// Counts bytes that are taken and given back, by any thread.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t most) : most_(most) {}
  /// Throws std::bad_alloc when it would be more than the most.
  void take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) { taken_ -= bytes; }

 private:
  std::uint64_t most_;
  std::atomic<std::uint64_t> taken_{0};
};

/// The budget of what this thread does during the lifetime of the scope; 0 bytes: no limit.
class MemoryBudgetScope {
 public:
  explicit MemoryBudgetScope(std::uint64_t most);
  MemoryBudgetScope(const MemoryBudgetScope&) = delete;
  MemoryBudgetScope& operator=(const MemoryBudgetScope&) = delete;
  ~MemoryBudgetScope();

 private:
  std::shared_ptr<MemoryBudget> outer_;
};

/// Bytes from the budget of this thread, if it has one, until the charge is destroyed.
class MemoryCharge {
 public:
  /// Throws std::bad_alloc when the budget has no more.
  explicit MemoryCharge(std::uint64_t bytes);
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;
  ~MemoryCharge() {
    if (budget_ != nullptr) budget_->give_back(bytes_);
  }

 private:
  std::shared_ptr<MemoryBudget> budget_;
  std::uint64_t bytes_;
};

/// Takes bytes that are not given back before the conversion ends.
void charge_for_good(std::uint64_t bytes);

}  // namespace onnx2ir::ir
