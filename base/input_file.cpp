#include "base/input_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>

#include "base/failure.hpp"

namespace onnx2ir::base {

void InputFile::read(std::uint64_t offset, std::span<std::byte> target) const {
  while (!target.empty()) {
    std::error_code error;
    const std::size_t got = file_.read(offset, target, error);
    if (error)
      throw base::Failure(DiagnosticCode::unreadable_input,
                          fmt::format("'{}' cannot be read: {}", input_.path, error.message()));
    if (got == 0) fail_shortened();
    target = target.subspan(got);
    offset += got;
  }
}

std::string InputFile::text(std::uint64_t most) const {
  std::string text(std::min(most, size()), '\0');
  read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

void InputFile::check_unchanged() const {
  const auto now = file_.current_identity();
  const platform::FileIdentity& before = input_.identity;
  if (now && now->size < before.size) fail_shortened();
  if (!now || now->size != before.size || now->modified != before.modified ||
      now->status_changed != before.status_changed) {
    throw base::Failure(DiagnosticCode::unreadable_input,
                        fmt::format("'{}' was changed while it was read", input_.path));
  }
}

void InputFile::check_size(std::uint64_t size) const {
  const auto now = file_.current_identity();
  if (!now || now->size < size) fail_shortened();
}

void InputFile::fail_shortened() const {
  throw base::Failure(DiagnosticCode::unreadable_input,
                      fmt::format("'{}' became shorter while it was read", input_.path));
}

FileResult open_file(const std::filesystem::path& path) {
  platform::OpenFailure failure;
  auto file = platform::open_file(path, failure);
  if (!file) return Problem{DiagnosticCode::unreadable_input, to_string(failure)};
  return std::make_shared<const InputFile>(std::move(*file), path.string());
}

}  // namespace onnx2ir::base
