// Libraries that are loaded at run time. They are never unloaded.
#pragma once

#include <filesystem>
#include <onnx2ir/result.hpp>

namespace onnx2ir::platform {

/// Whether the process has a dynamic linker; a static program has none.
bool can_load_libraries();
/// The library, or the problem (bad_extension) why it cannot be loaded: a reason of the system.
Result<void*> load_library(const std::filesystem::path& path);
/// Null if the library does not export `name`.
void* find_symbol(void* library, const char* name);

}  // namespace onnx2ir::platform
