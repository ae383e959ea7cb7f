#include "platform/memory_file.hpp"

namespace onnx2ir::platform {

std::optional<ReadFile> make_memory_file(std::uint64_t /*size*/, const FillMemory& /*fill*/,
                                         std::error_code& error) {
  error = std::make_error_code(std::errc::not_supported);
  return std::nullopt;
}

}  // namespace onnx2ir::platform
