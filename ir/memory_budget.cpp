#include "ir/memory_budget.hpp"

#include <new>

namespace onnx2ir::ir {
namespace {

/// Thread-local, because a conversion runs on the thread that started it.
thread_local std::shared_ptr<MemoryBudget> current;

}  // namespace

void MemoryBudget::take(std::uint64_t bytes) {
  const std::uint64_t before = taken_.fetch_add(bytes);
  if (before <= most_ && bytes <= most_ - before) return;
  taken_ -= bytes;
  throw std::bad_alloc();
}

MemoryBudgetScope::MemoryBudgetScope(std::uint64_t most)
    : outer_(std::exchange(current, most == 0 ? nullptr : std::make_shared<MemoryBudget>(most))) {}

MemoryBudgetScope::~MemoryBudgetScope() {
  current = std::move(outer_);
}

MemoryCharge::MemoryCharge(std::uint64_t bytes) : budget_(current), bytes_(bytes) {
  if (budget_ != nullptr) budget_->take(bytes);
}

void charge_permanently(std::uint64_t bytes) {
  if (current != nullptr) current->take(bytes);
}

}  // namespace onnx2ir::ir
