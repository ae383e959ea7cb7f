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

std::optional<std::vector<std::string_view>> unpack_strings(std::span<const std::byte> packed) {
  auto integer = [&](std::size_t index) {
    std::int32_t value = 0;
    std::memcpy(&value, packed.data() + index * sizeof value, sizeof value);
    return value;
  };
  if (packed.size() < 2 * sizeof(std::int32_t) || integer(0) < 0) return std::nullopt;
  const auto count = static_cast<std::size_t>(integer(0));
  if (count > packed.size() / sizeof(std::int32_t) - 2) return std::nullopt;
  const std::size_t header = sizeof(std::int32_t) * (count + 2);
  const std::string_view characters(reinterpret_cast<const char*>(packed.data()) + header,
                                    packed.size() - header);

  std::vector<std::string_view> strings;
  strings.reserve(count);
  std::int32_t begin = integer(1);
  if (begin != 0) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t end = integer(i + 2);
    if (end < begin || static_cast<std::size_t>(end) > characters.size()) return std::nullopt;
    strings.push_back(
        characters.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    begin = end;
  }
  return strings;
}

}  // namespace onnx2ir::frontend
