// The memory of the machine and of its control groups.
#pragma once

#include <cstdint>
#include <filesystem>

namespace onnx2ir::platform {

/// See available_memory(). `root` is the folder with `proc` and `sys`, "/" except in tests.
std::uint64_t available_memory_below(const std::filesystem::path& root);

}  // namespace onnx2ir::platform
