#include "platform/signals.hpp"

#include <windows.h>

#include <atomic>

namespace onnx2ir::platform {
namespace {

std::atomic<void (*)()> clean_up_function{nullptr};

/// Called in a thread of its own.
BOOL WINAPI clean_up(DWORD /*event*/) {
  if (void (*const function)() = clean_up_function; function != nullptr) function();
  return FALSE;  // the next handler ends the process
}

}  // namespace

void before_termination(void (*clean_up_files)()) {
  clean_up_function = clean_up_files;
  ::SetConsoleCtrlHandler(clean_up, TRUE);
}

void remove_in_handler(const std::filesystem::path::value_type* path) {
  ::DeleteFileW(path);
}

}  // namespace onnx2ir::platform
