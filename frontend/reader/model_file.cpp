#include "frontend/reader/model_file.hpp"

#include <utility>

#include "platform/read_file.hpp"

namespace onnx2ir::frontend {

FileResult open_file(const std::filesystem::path& path) {
  platform::OpenFailure failure;
  auto file = platform::open_file(path, failure);
  if (!file) return {nullptr, to_string(failure)};
  return {std::make_shared<const ir::InputFile>(std::move(*file), path.string()), {}};
}

}  // namespace onnx2ir::frontend
