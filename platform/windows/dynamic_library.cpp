#include "platform/dynamic_library.hpp"

#include <windows.h>

#include "platform/windows/system.hpp"

namespace onnx2ir::platform {

bool can_load_libraries() {
  return true;
}

Result<void*> load_library(const std::filesystem::path& path) {
  // The libraries that it needs are looked up beside it.
  const HMODULE library = ::LoadLibraryExW(path.c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
  if (library == nullptr) return Problem{DiagnosticCode::bad_extension, windows::last_error().message()};
  return static_cast<void*>(library);
}

void* find_symbol(void* library, const char* name) {
  return reinterpret_cast<void*>(::GetProcAddress(static_cast<HMODULE>(library), name));
}

}  // namespace onnx2ir::platform
