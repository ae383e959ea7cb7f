#include "backend_xml/output_check.hpp"

#include <fmt/core.h>

#include <system_error>
#include <vector>

#include "backend_xml/temporary_file.hpp"
#include "base/overwriting.hpp"

namespace onnx2ir::backend_xml {

std::optional<std::string> output_problem(const std::filesystem::path& xml, const std::filesystem::path& bin,
                                          std::span<const base::Input> inputs) {
  if (base::is_one_target(xml, bin))
    return fmt::format("the model and its weights cannot both be written to '{}'", xml.string());
  std::vector<base::UsedFile> used;
  for (const base::Input& input : inputs)
    used.push_back({input.path, "the model is read from", input.identity});
  for (const auto& [path, role] : {std::pair(&xml, kModelRole), std::pair(&bin, kWeightsRole)}) {
    std::error_code error;
    if (path->filename().empty()) return fmt::format("'{}' is not the name of a file", path->string());
    if (std::filesystem::exists(*path, error) && !std::filesystem::is_regular_file(*path, error))
      return fmt::format("'{}' exists and is not a regular file", path->string());
    if (auto problem = base::overwriting_problem(*path, used)) return problem;
    // A file with this name is removed before the new one gets it.
    const auto temporary = path->parent_path() / temporary_name(role);
    if (auto problem = base::overwriting_problem(temporary, used)) return problem;
  }
  return std::nullopt;
}

}  // namespace onnx2ir::backend_xml
