#include "platform/read_file.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/new_file.hpp"

namespace onnx2ir::platform {

std::string to_string(const OpenFailure& failure) {
  if (failure.error) return failure.error.message();
  constexpr std::array<std::string_view, 5> kKinds{"a regular file", "a folder", "a named pipe", "a socket",
                                                   "a device"};
  return "it is " + std::string(kKinds.at(static_cast<std::size_t>(failure.kind))) + ", not a file";
}

std::optional<ReadFile> make_memory_file(std::uint64_t size, const SupplyBytes& fill,
                                         std::error_code& error) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20U;
  auto file = NewFile::in_memory(error);
  if (!file) return std::nullopt;
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min(size, kPiece)));
  for (std::uint64_t done = 0; done < size;) {
    const auto part =
        std::span(piece).first(static_cast<std::size_t>(std::min<std::uint64_t>(size - done, piece.size())));
    if (!fill(done, part)) return std::nullopt;
    error = file->write_at(done, part);
    if (error) return std::nullopt;
    done += part.size();
  }
  OpenFailure failure;
  auto result = take_file(std::move(*file).take_handle(), failure);
  error = failure.error;
  return result;
}

}  // namespace onnx2ir::platform
