#include "cli/temporary_files.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "platform/signals.hpp"

namespace onnx2ir::cli {
namespace {

/// A path that a signal handler can read at any time.
struct Slot {
  std::array<std::filesystem::path::value_type, platform::kMaxPath> path{};
  std::atomic<bool> is_used{false};
};
static_assert(std::atomic<bool>::is_always_lock_free);

// Two files for each of the models that can be written at the same time.
std::array<Slot, 128> slots;
std::mutex noting;

void remove_noted() {
  for (Slot& slot : slots) {
    if (slot.is_used) platform::remove_in_handler(slot.path.data());
  }
}

}  // namespace

void handle_signals() {
  platform::before_termination(remove_noted);
}

void note_temporary(const std::filesystem::path& path, bool is_there) {
  // Excludes other writers; the handler reads complete slots without the lock.
  const std::scoped_lock lock(noting);
  const std::filesystem::path::string_type& name = path.native();
  for (Slot& slot : slots) {
    if (is_there && !slot.is_used && name.size() < slot.path.size()) {
      std::copy_n(name.c_str(), name.size() + 1, slot.path.data());
      slot.is_used = true;
      return;
    }
    if (!is_there && slot.is_used && name == slot.path.data()) {
      slot.is_used = false;
      return;
    }
  }
}

}  // namespace onnx2ir::cli
