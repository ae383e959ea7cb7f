// Libraries that are loaded at run time. They are never unloaded.
#pragma once

#include <filesystem>
#include <string>

namespace onnx2ir::platform {

/// Whether the process has a dynamic linker; a static program has none.
bool can_load_libraries();
/// Null, with the reason in `problem`, if the library cannot be loaded.
void* load_library(const std::filesystem::path& path, std::string& problem);
/// Null if the library does not export `name`.
void* find_symbol(void* library, const char* name);

}  // namespace onnx2ir::platform
