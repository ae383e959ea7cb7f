#include "base/memory_budget.hpp"

#include <new>

namespace onnx2ir::base {
namespace {

/// Thread-local, because a conversion runs on the thread that started it.
thread_local std::shared_ptr<MemoryBudget> current;
thread_local bool is_default = false;

}  // namespace

void MemoryBudget::take(std::uint64_t bytes) {
  const std::uint64_t before = taken_.fetch_add(bytes);
  const std::uint64_t most = most_;
  if (before <= most && bytes <= most - before) return;
  taken_ -= bytes;
  throw std::bad_alloc();
}

MemoryBudgetScope::MemoryBudgetScope(std::optional<std::uint64_t> most)
    : outer_(std::exchange(
          current, most == 0 ? nullptr : std::make_shared<MemoryBudget>(most.value_or(kDefaultBudget)))),
      was_default_(std::exchange(is_default, !most.has_value())) {}

MemoryBudgetScope::~MemoryBudgetScope() {
  current = std::move(outer_);
  is_default = was_default_;
}

void raise_default_budget(std::uint64_t bytes) {
  if (is_default && current != nullptr) current->raise(bytes);
}

MemoryCharge::MemoryCharge(std::uint64_t bytes) : budget_(current), bytes_(bytes) {
  if (budget_ != nullptr) budget_->take(bytes);
}

void charge_permanently(std::uint64_t bytes) {
  if (current != nullptr) current->take(bytes);
}

}  // namespace onnx2ir::base
