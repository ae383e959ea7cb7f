#include "platform/dynamic_library.hpp"

#include <dlfcn.h>

#include <string>
#include <string_view>

#include "platform/posix/system.hpp"

// Weak: a program that is linked with the static library and an older glibc may lack libdl.
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlerror

namespace onnx2ir::platform {

bool can_load_libraries() {
  return posix::has_dynamic_section() && &::dlopen != nullptr && &::dlsym != nullptr && &::dlerror != nullptr;
}

Result<void*> load_library(const std::filesystem::path& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* const error = dlerror();
  const std::string_view text = error == nullptr ? "unknown reason" : error;
  const std::string prefix = path.string() + ": ";
  return Problem{DiagnosticCode::bad_extension,
                 std::string(text.starts_with(prefix) ? text.substr(prefix.size()) : text)};
}

void* find_symbol(void* library, const char* name) {
  return dlsym(library, name);
}

}  // namespace onnx2ir::platform
