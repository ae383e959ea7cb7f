#include "cli/temporary_files.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>
#include <mutex>
#include <string>

namespace onnx2ir::cli {
namespace {

/// A path that a signal handler can read at any time.
struct Slot {
  std::array<char, PATH_MAX> path{};
  std::atomic<bool> is_used{false};
};
static_assert(std::atomic<bool>::is_always_lock_free);

// Two files for each of the models that can be written at the same time.
std::array<Slot, 128> slots;
std::mutex noting;

void remove_and_end(int signal) {
  for (Slot& slot : slots) {
    if (slot.is_used) ::unlink(slot.path.data());
  }
  // The handler was reset before this call; the signal is delivered again after it returns.
  ::raise(signal);
}

}  // namespace

void handle_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGXCPU}) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = remove_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigfillset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

void note_temporary(const std::filesystem::path& path, bool is_there) {
  // Excludes other writers; the handler reads complete slots without the lock.
  const std::scoped_lock lock(noting);
  const std::string& name = path.native();
  for (Slot& slot : slots) {
    if (is_there && !slot.is_used && name.size() < slot.path.size()) {
      std::memcpy(slot.path.data(), name.c_str(), name.size() + 1);
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
