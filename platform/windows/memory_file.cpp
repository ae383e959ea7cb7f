#include "platform/memory_file.hpp"

#include <windows.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "platform/windows/system.hpp"

namespace onnx2ir::platform {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 20U;

/// A file in the folder of temporary files that the system keeps in its cache, if there is room, and removes
/// when it is closed. Windows has no files without a name.
Handle create_temporary_file(std::error_code& error) {
  constexpr int kMaxAttempts = 100;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  std::random_device random;
  for (int i = 0; i < kMaxAttempts && !error; ++i) {
    const std::filesystem::path path = folder / (L"onnx2ir." + std::to_wstring(random()));
    Handle file = windows::taken(::CreateFileW(
        windows::long_path(path).c_str(), GENERIC_READ | GENERIC_WRITE | DELETE, FILE_SHARE_DELETE, nullptr,
        CREATE_NEW, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr));
    if (file.is_open()) return file;
    const std::error_code reason = windows::last_error();
    if (reason != std::errc::file_exists) error = reason;
  }
  return {};
}

}  // namespace

std::optional<ReadFile> make_memory_file(std::uint64_t size, const SupplyBytes& fill,
                                         std::error_code& error) {
  error.clear();
  Handle handle = create_temporary_file(error);
  if (!handle.is_open()) return std::nullopt;
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min(size, kPiece)));
  for (std::uint64_t done = 0; done < size;) {
    const auto part =
        std::span(piece).first(static_cast<std::size_t>(std::min<std::uint64_t>(size - done, piece.size())));
    if (!fill(done, part)) return std::nullopt;
    error = windows::write_at(windows::native(handle), done, part);
    if (error) return std::nullopt;
    done += part.size();
  }
  const auto identity = windows::identify(windows::native(handle));
  if (identity) return ReadFile(std::move(handle), *identity);
  error = windows::last_error();
  return std::nullopt;
}

}  // namespace onnx2ir::platform
