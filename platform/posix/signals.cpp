#include "platform/signals.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace onnx2ir::platform {
namespace {

std::atomic<void (*)()> clean_up_function{nullptr};
static_assert(std::atomic<void (*)()>::is_always_lock_free);

void clean_up_and_end(int signal) {
  if (void (*const clean_up)() = clean_up_function; clean_up != nullptr) clean_up();
  // The handler was reset before this call; the signal is delivered again after it returns.
  ::raise(signal);
}

}  // namespace

void before_termination(void (*clean_up)()) {
  clean_up_function = clean_up;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGXCPU}) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = clean_up_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigfillset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

void remove_in_handler(const std::filesystem::path::value_type* path) {
  ::unlink(path);
}

}  // namespace onnx2ir::platform
