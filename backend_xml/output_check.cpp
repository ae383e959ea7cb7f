#include "backend_xml/output_check.hpp"

#include <fmt/core.h>

#include <system_error>

namespace onnx2ir::backend_xml {
namespace {

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

bool is_one_path(const std::filesystem::path& a, const std::filesystem::path& b) {
  if (a.filename() != b.filename()) return false;
  const auto folder_of_a = ir::identify(folder_of(a).c_str());
  const auto folder_of_b = ir::identify(folder_of(b).c_str());
  return folder_of_a && folder_of_b && ir::is_same_file(*folder_of_a, *folder_of_b);
}

}  // namespace

std::optional<std::string> output_problem(const std::filesystem::path& xml, const std::filesystem::path& bin,
                                          std::span<const ir::Input> inputs) {
  const auto xml_now = ir::identify(xml.c_str());
  const auto bin_now = ir::identify(bin.c_str());
  if (is_one_path(xml, bin) || (xml_now && bin_now && ir::is_same_file(*xml_now, *bin_now))) {
    return fmt::format("the model and its weights cannot both be written to '{}'", xml.string());
  }
  for (const auto& [path, now] : {std::pair(&xml, &xml_now), std::pair(&bin, &bin_now)}) {
    std::error_code error;
    if (path->filename().empty()) return fmt::format("'{}' is not the name of a file", path->string());
    if (!*now) continue;
    if (!std::filesystem::is_regular_file(*path, error)) {
      return fmt::format("'{}' exists and is not a regular file", path->string());
    }
    for (const ir::Input& input : inputs) {
      if (!ir::is_same_file(**now, input.identity)) continue;
      return fmt::format("'{}' would be written over '{}', which the model is read from", path->string(),
                         input.path);
    }
  }
  return std::nullopt;
}

}  // namespace onnx2ir::backend_xml
