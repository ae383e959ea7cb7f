#include <cstring>
#include <limits>

#include "frontend/reader/tensor_data.hpp"

namespace onnx2ir::frontend {

std::optional<std::vector<std::byte>> pack_strings(std::span<const std::string_view> strings) {
  constexpr std::uint64_t kMaxOffset = std::numeric_limits<std::int32_t>::max();
  std::uint64_t characters = 0;
  for (std::string_view text : strings) characters += text.size();
  if (strings.size() > kMaxOffset || characters > kMaxOffset) return std::nullopt;

  const std::size_t header = sizeof(std::int32_t) * (strings.size() + 2);
  std::vector<std::byte> packed(header + characters);
  std::byte* integers = packed.data();
  auto put = [&](std::uint64_t value) {
    const auto narrow = static_cast<std::int32_t>(value);
    std::memcpy(integers, &narrow, sizeof narrow);
    integers += sizeof narrow;
  };
  put(strings.size());
  put(0);
  std::uint64_t offset = 0;
  for (std::string_view text : strings) {
    if (!text.empty()) std::memcpy(packed.data() + header + offset, text.data(), text.size());
    offset += text.size();
    put(offset);
  }
  return packed;
}

}  // namespace onnx2ir::frontend
