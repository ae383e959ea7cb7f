#include "platform/memory_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "platform/posix/system.hpp"
#include "platform/posix/take_file.hpp"

namespace onnx2ir::platform {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 20U;

}  // namespace

std::optional<ReadFile> make_memory_file(std::uint64_t size, const SupplyBytes& fill,
                                         std::error_code& error) {
  error.clear();
  Handle handle(posix::open_memory_file());
  if (!handle.is_open()) {
    error = posix::last_error();
    return std::nullopt;
  }
  std::vector<std::byte> piece(std::min<std::uint64_t>(size, kPiece));
  for (std::uint64_t done = 0; done < size;) {
    const auto part = std::span(piece).first(std::min<std::uint64_t>(size - done, piece.size()));
    if (!fill(done, part)) return std::nullopt;
    const ssize_t written =
        ::pwrite(posix::descriptor(handle), part.data(), part.size(), static_cast<off_t>(done));
    if (written != static_cast<ssize_t>(part.size())) {
      error = written < 0 ? posix::last_error() : std::make_error_code(std::errc::no_space_on_device);
      return std::nullopt;
    }
    done += part.size();
  }
  OpenFailure failure;
  auto file = posix::take_file(std::move(handle), failure);
  error = failure.error;
  return file;
}

}  // namespace onnx2ir::platform
