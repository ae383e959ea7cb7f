// The commands show, diff and stats.
#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "cli/command_functions.hpp"
#include "cli/messages.hpp"
#include "cli/output_files.hpp"

namespace onnx2ir::cli {
namespace {

/// Keeps a conversion to the end of the process. It is never destroyed, because freeing takes longer than
/// ending the process.
const Conversion& keep(Conversion conversion) {
  static auto& all = *std::make_unique<std::deque<Conversion>>().release();
  return all.emplace_back(std::move(conversion));
}

/// Whether the file is read as IR, not converted.
bool is_ir(const std::string& path) {
  const auto extension = std::filesystem::path(path).extension();
  return extension == ".xml" || extension == ".ir";
}

/// The arguments with the source kept if `is_named`: pages and comments name the operators of ONNX.
Arguments with_source(Arguments arguments, bool is_named) {
  arguments.options.keep_source = is_named;
  return arguments;
}

/// Reads an IR, or converts an ONNX model, and adds its files to those that must not be overwritten.
const Conversion& read_kept(const Arguments& arguments, const std::string& model, WrittenFiles& files) {
  const Conversion& conversion =
      keep(is_ir(model) ? read_ir(model) : convert_model(model, arguments.options));
  files.add_read(conversion.files, model);
  return conversion;
}

/// The model, or null after its errors are printed.
const Model* read_or_report(const Arguments& arguments, const std::string& model, WrittenFiles& files) {
  const Conversion& conversion = read_kept(arguments, model, files);
  print(arguments, conversion.diagnostics, model);
  return conversion.model ? &*conversion.model : nullptr;
}

/// An IR is not converted, so that --input gives the sizes of its inputs only.
void use_shapes_of_inputs(const Arguments& arguments, StatsOptions& options) {
  for (const InputSpec& input : arguments.options.inputs) {
    for (std::size_t axis = 0; input.shape && axis < input.shape->size(); ++axis) {
      const DimensionBounds& bounds = (*input.shape)[axis];
      if (bounds.min == bounds.max)
        options.sizes.emplace_back(input.name + '[' + std::to_string(axis) + ']', bounds.min);
    }
  }
}

/// Writes the page of --html, unless a file that is read would be overwritten. Returns the reason of a
/// failure.
std::optional<Diagnostic> write_page(const Arguments& arguments, const WrittenFiles& files,
                                     const std::function<std::string()>& page) {
  if (auto problem = files.problem()) return problem;
  return write_html_page(arguments.html, page);
}

void add(std::vector<Diagnostic>& diagnostics, std::optional<Diagnostic> problem) {
  if (problem) diagnostics.push_back(*std::move(problem));
}

}  // namespace

int show_model(const Arguments& arguments) {
  return or_failure(kModelError, [&] {
    WrittenFiles files(arguments);
    if (report(arguments, files.problem())) return kModelError;
    const Conversion& read = read_kept(with_source(arguments, true), arguments.models[0], files);
    std::vector<Diagnostic> diagnostics = read.diagnostics;
    if (read.model && !arguments.html.empty())
      add(diagnostics, write_page(arguments, files, [&] { return read.model->html(); }));
    print(arguments, diagnostics);
    if (!read.model || has_errors(diagnostics)) return kModelError;
    if (!arguments.html.empty()) return kDone;
    return print_result(arguments.has_origins ? read.model->text_with_origins() : read.model->text());
  });
}

int diff_models(const Arguments& arguments) {
  constexpr std::size_t kMostLines = 100;
  return or_failure(kUsage, [&] {
    WrittenFiles files(arguments);
    if (report(arguments, files.problem())) return kUsage;
    const Arguments how = with_source(arguments, !arguments.html.empty());
    const Model* const before = read_or_report(how, arguments.models[0], files);
    const Model* const after = read_or_report(how, arguments.models[1], files);
    if (before == nullptr || after == nullptr) return kUsage;
    const DiffOptions options{.ignores_names = arguments.ignores_names};
    const std::vector<Difference> found = differences(*before, *after, options);
    std::string text;
    if (!arguments.html.empty()) {
      const auto page = [&] { return differences_html(*before, *after, options); };
      if (report(arguments, write_page(arguments, files, page))) return kUsage;
    } else if (arguments.has_json_output) {
      text = to_json(found) + '\n';
    } else {
      for (std::size_t i = 0; i < std::min(found.size(), kMostLines); ++i) text += found[i].text + '\n';
      if (found.size() > kMostLines)
        text += "and " + std::to_string(found.size() - kMostLines) + " more differences\n";
    }
    if (print_result(text) != kDone) return kUsage;
    return found.empty() ? kDone : kDifferent;
  });
}

int count_model(const Arguments& arguments) {
  const std::string& path = arguments.models[0];
  WrittenFiles files(arguments);
  if (report(arguments, files.problem())) return kModelError;
  const Conversion& read = read_kept(with_source(arguments, !arguments.html.empty()), path, files);
  std::vector<Diagnostic> diagnostics = read.diagnostics;
  Stats found;
  if (read.model) {
    StatsOptions options = arguments.stats;
    if (is_ir(path)) use_shapes_of_inputs(arguments, options);
    found = stats(*read.model, options);
    diagnostics.insert(diagnostics.end(), found.diagnostics.begin(), found.diagnostics.end());
  }
  const bool is_counted = read.model && found.diagnostics.empty();
  if (is_counted && !arguments.html.empty())
    add(diagnostics, write_page(arguments, files, [&] { return read.model->html(found); }));
  print(arguments, diagnostics);
  if (!is_counted || has_errors(diagnostics)) return kModelError;
  if (!arguments.html.empty()) return kDone;
  return print_result(arguments.has_json_output ? to_json(found) : to_string(found));
}

}  // namespace onnx2ir::cli
