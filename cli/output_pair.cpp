#include "cli/output_pair.hpp"

#include "cli/commands.hpp"
#include "cli/messages.hpp"
#include "cli/temporary_files.hpp"

namespace onnx2ir::cli {
namespace {

/// A path that is too long or a link to itself is reported when the file is written.
bool is_existing_folder(const std::filesystem::path& path) {
  std::error_code no_error;
  return std::filesystem::is_directory(path, no_error);
}

}  // namespace

std::optional<std::string> output_name_problem(const std::string& output, bool is_folder) {
  if (output == kStandardStream)
    return "-o -: two files cannot go to standard output; use --check to convert without writing";
  const std::filesystem::path path = output;
  if (is_existing_folder(path)) return std::nullopt;
  const auto extension = path.extension();
  if (extension == ".bin" || extension == ".onnx")
    return "-o names the XML, and the weights are next to it: -o " +
           std::filesystem::path(path).replace_extension(".xml").string();
  if (is_folder && extension == ".xml")
    return "-o " + output + " names one file, but several models need a folder: -o " +
           std::filesystem::path(path).replace_extension().string() + '/';
  return std::nullopt;
}

std::filesystem::path xml_path(const std::string& model, const std::string& output, bool is_folder) {
  std::filesystem::path named = "model.xml";
  if (model != kStandardStream) named = std::filesystem::path(model).filename().replace_extension(".xml");
  if (output.empty()) return named;
  std::filesystem::path path = output;
  if (is_folder || is_existing_folder(path) || !path.has_filename()) return path / named;
  if (path.extension() != ".xml") path += ".xml";
  return path;
}

std::optional<Diagnostic> save_pair(const Model& model, const std::filesystem::path& xml,
                                    SaveOptions options) {
  if (const auto folder = xml.parent_path(); !folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
      return error_of(DiagnosticCode::cannot_write,
                      "the folder '" + folder.string() + "' cannot be created: " + error.message());
  }
  options.temporary = note_temporary;
  return model.save(xml, {}, options);
}

}  // namespace onnx2ir::cli
