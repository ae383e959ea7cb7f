#include "cli/written_files.hpp"

#include <algorithm>

#include "platform/process.hpp"

namespace onnx2ir::cli {
namespace {

std::filesystem::path weights_of(const std::filesystem::path& xml) {
  return std::filesystem::path(xml).replace_extension(".bin");
}

}  // namespace

WrittenFiles::WrittenFiles(const Arguments& arguments) {
  for (const std::string& model : arguments.models) {
    // A file that the shell opened as standard input.
    const bool is_stream = model == kStandardStream;
    const std::filesystem::path source =
        is_stream ? platform::standard_input_path() : std::filesystem::path(model);
    if (!source.empty()) models_.push_back({source, "the model is read from"});
    // An IR has its weights beside it.
    const std::filesystem::path path = model;
    if (path.extension() == ".xml" || path.extension() == ".ir")
      models_.push_back({weights_of(path), "the weights of '" + model + "' are read from"});
  }
  for (const auto& library : arguments.options.extensions)
    read_.push_back({library, "is a library with translators"});
  if (!arguments.options.operator_map.empty())
    read_.push_back({arguments.options.operator_map, "is the operator map"});
  if (!arguments.report.empty() && arguments.report != kStandardStream)
    written_.push_back({arguments.report, "the report is written to"});
  if (!arguments.html.empty() && arguments.html != kStandardStream)
    written_.push_back({arguments.html, "the page is written to"});
}

void WrittenFiles::add_pair(const std::filesystem::path& xml) {
  written_.push_back({xml, "the XML is written to", true});
  written_.push_back({weights_of(xml), "the weights are written to", true});
}

void WrittenFiles::add_read(const std::vector<std::filesystem::path>& files, const std::string& model) {
  for (const auto& file : files) read_.push_back({file, "'" + model + "' is read from"});
}

std::optional<Diagnostic> WrittenFiles::problem(bool model_is_known) const {
  std::vector<UsedFile> used = read_;
  std::vector<UsedFile> written;
  std::vector<UsedFile> alone;
  for (const Written& file : written_) {
    written.push_back({file.path, file.use});
    if (!file.is_of_pair) alone.push_back({file.path, file.use});
  }
  if (model_is_known) {
    used.insert(used.begin(), models_.begin(), models_.end());
  } else if (auto problem = output_problem(alone, models_)) {
    return problem;
  }
  return output_problem(written, used);
}

bool WrittenFiles::knows(const std::vector<std::filesystem::path>& files) const {
  return std::ranges::all_of(files, [&](const std::filesystem::path& path) {
    return std::ranges::find(models_, path, &UsedFile::path) != models_.end() ||
           std::ranges::find(read_, path, &UsedFile::path) != read_.end();
  });
}

bool WrittenFiles::replaces_any() const {
  std::error_code no_error;
  return std::ranges::any_of(
      written_, [&](const Written& file) { return std::filesystem::exists(file.path, no_error); });
}

}  // namespace onnx2ir::cli
