// Files in memory that have no name in the file system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <system_error>

#include "platform/read_file.hpp"

namespace onnx2ir::platform {

/// Fills `target` with the bytes from `offset` on; returns whether it could.
using SupplyBytes = std::function<bool(std::uint64_t offset, std::span<std::byte> target)>;

/// A file with `size` bytes of `fill`, which is called for one piece after the other. No value if `fill`
/// fails, or with the `error` of the system. On Windows, which has no such files, it has a name among the
/// temporary files until it is closed.
std::optional<ReadFile> make_memory_file(std::uint64_t size, const SupplyBytes& fill, std::error_code& error);

}  // namespace onnx2ir::platform
