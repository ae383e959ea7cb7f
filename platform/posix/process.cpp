#include "platform/process.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
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

void limit_memory(std::uint64_t bytes) {
  if (bytes == 0) return;
  // RLIMIT_AS is not used because it includes code and mapped files.
  rlimit limit{};
  ::getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, bytes);
  ::setrlimit(RLIMIT_DATA, &limit);
}

std::vector<std::string> arguments(int count, char** values) {
  return {values + std::min(count, 1), values + count};
}

void use_plain_streams() {}

bool is_error_stream_a_terminal() {
  return ::isatty(STDERR_FILENO) == 1;
}

std::filesystem::path standard_input_path() {
  return "/dev/stdin";
}

std::string python_name() {
  return "python3";
}

void run_instead(std::vector<std::string> words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
}

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
