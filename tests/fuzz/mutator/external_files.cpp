#include "mutator/external_files.hpp"

#include <unistd.h>

#include <fstream>
#include <string>
#include <system_error>
#include <utility>

namespace onnx2ir::fuzz {

ExternalFiles::ExternalFiles()
    : folder_(std::filesystem::temp_directory_path() / ("onnx2ir_fuzz_" + std::to_string(::getpid()))) {
  std::filesystem::create_directories(folder_ / "folder");
  for (const auto& [name, size] : {std::pair("data", 4096), {"short", 6}, {"folder/data", 64}})
    std::ofstream(folder_ / name) << std::string(static_cast<std::size_t>(size), '\1');
}

ExternalFiles::~ExternalFiles() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace onnx2ir::fuzz
