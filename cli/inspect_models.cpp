#include "cli/inspect_models.hpp"

#include <algorithm>
#include <deque>
#include <iostream>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include "cli/html_page.hpp"
#include "cli/messages.hpp"
#include "cli/written_files.hpp"

namespace onnx2ir::cli {
namespace {

/// Keeps a conversion to the end of the process. It is never destroyed, because freeing takes longer than
/// ending the process.
const Conversion* keep(Conversion conversion) {
  static auto& all = *std::make_unique<std::deque<Conversion>>().release();
  return &all.emplace_back(std::move(conversion));
}

/// Whether the file is read as IR, not converted.
bool is_ir(const std::string& path) {
  const auto extension = std::filesystem::path(path).extension();
  return extension == ".xml" || extension == ".ir";
}

/// Reads an IR, or converts an ONNX model; "-" is standard input.
Conversion read_model(const Arguments& arguments, const std::string& path) {
  if (is_ir(path)) return read_ir(path);
  if (path != kStandardStream) return convert_file(path, arguments.options);
  const std::string bytes(std::istreambuf_iterator<char>(std::cin), {});
  return convert_bytes(std::as_bytes(std::span(bytes)), arguments.options);
}

/// The arguments with the source kept: pages and comments name the operators of ONNX.
Arguments with_source(Arguments arguments) {
  arguments.options.keep_source = true;
  return arguments;
}

/// Reads `model`, and adds its files to those that must not be overwritten.
const Conversion& read_kept(const Arguments& arguments, const std::string& model, WrittenFiles& files) {
  const Conversion& conversion = *keep(read_model(arguments, model));
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

/// Writes a page with `write`, unless a file that is read would be overwritten. Returns the reason of a
/// failure.
template <typename Write>
std::optional<Diagnostic> html_problem(const WrittenFiles& files, Write write) {
  if (auto problem = files.problem()) return problem;
  return write();
}

void add(std::vector<Diagnostic>& diagnostics, std::optional<Diagnostic> problem) {
  if (problem) diagnostics.push_back(*std::move(problem));
}

}  // namespace

int show_model(const Arguments& arguments) {
  return or_failure(kModelError, [&] {
    WrittenFiles files(arguments);
    if (report(arguments, files.problem())) return kModelError;
    const Conversion& read = read_kept(with_source(arguments), arguments.models[0], files);
    std::vector<Diagnostic> diagnostics = read.diagnostics;
    if (read.model && !arguments.html.empty())
      add(diagnostics, html_problem(files, [&] { return write_html_page(*read.model, arguments.html); }));
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
    const Arguments how = arguments.html.empty() ? arguments : with_source(arguments);
    const Model* const before = read_or_report(how, arguments.models[0], files);
    const Model* const after = read_or_report(how, arguments.models[1], files);
    if (before == nullptr || after == nullptr) return kUsage;
    const DiffOptions options{.ignores_names = arguments.ignores_names};
    const std::vector<Difference> found = differences(*before, *after, options);
    if (!arguments.html.empty()) {
      if (report(arguments, files.problem()) ||
          report(arguments, write_html_page(*before, *after, options, arguments.html)))
        return kUsage;
    } else if (arguments.has_json_output) {
      std::cout << to_json(found) << '\n';
    } else {
      for (std::size_t i = 0; i < std::min(found.size(), kMostLines); ++i) std::cout << found[i].text << '\n';
      if (found.size() > kMostLines)
        std::cout << "and " << found.size() - kMostLines << " more differences\n";
    }
    if (print_result("") != kDone) return kUsage;
    return found.empty() ? kDone : kDifferent;
  });
}

int count_model(const Arguments& arguments) {
  const std::string& path = arguments.models[0];
  WrittenFiles files(arguments);
  if (report(arguments, files.problem())) return kModelError;
  const Conversion& read =
      read_kept(arguments.html.empty() ? arguments : with_source(arguments), path, files);
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
    add(diagnostics,
        html_problem(files, [&] { return write_html_page(*read.model, found, arguments.html); }));
  print(arguments, diagnostics);
  if (!is_counted || has_errors(diagnostics)) return kModelError;
  if (!arguments.html.empty()) return kDone;
  return print_result(arguments.has_json_output ? to_json(found) : to_string(found));
}

}  // namespace onnx2ir::cli
