#include "frontend/reader/model_file.hpp"

#include <fmt/core.h>

#include <utility>

#include "platform/memory_file.hpp"
#include "platform/read_file.hpp"

namespace onnx2ir::frontend {

FileResult open_file(const std::filesystem::path& path) {
  platform::OpenFailure failure;
  auto file = platform::open_file(path, failure);
  if (!file) return Problem{DiagnosticCode::unreadable_input, to_string(failure)};
  return std::make_shared<const base::InputFile>(std::move(*file), path.string());
}

FileResult file_in_memory(const std::string& name, const SuppliedData& data) {
  const auto failed = [&](std::string_view why) {
    return Problem{DiagnosticCode::unreadable_input,
                   fmt::format("the data of '{}' that the program supplies {}", name, why)};
  };
  if (!data.read) return failed("cannot be read");
  std::error_code error;
  auto file = platform::make_memory_file(data.size, data.read, error);
  if (!file) return failed(error ? "cannot be stored: " + error.message() : "cannot be read");
  return std::make_shared<const base::InputFile>(std::move(*file), name);
}

}  // namespace onnx2ir::frontend
