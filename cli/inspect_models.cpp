#include "cli/inspect_models.hpp"

#include <algorithm>
#include <deque>
#include <iostream>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include "cli/convert_models.hpp"
#include "cli/file_failures.hpp"
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

/// The model, or null after its errors are printed.
const Model* read_or_report(const Arguments& arguments, const std::string& model, WrittenFiles& files) {
  const Conversion* const conversion = keep(read_model(arguments, model));
  print(arguments, conversion->diagnostics, model);
  files.add_read(conversion->files, model);
  return conversion->model ? &*conversion->model : nullptr;
}

}  // namespace

Arguments with_source(Arguments arguments) {
  arguments.options.keep_source = true;
  return arguments;
}

bool is_ir(const std::string& path) {
  const auto extension = std::filesystem::path(path).extension();
  return extension == ".xml" || extension == ".ir";
}

Conversion read_model(const Arguments& arguments, const std::string& path) {
  if (is_ir(path)) return read_ir(path);
  if (path != "-") return convert_file(path, arguments.options);
  const std::string bytes(std::istreambuf_iterator<char>(std::cin), {});
  return convert_bytes(std::as_bytes(std::span(bytes)), arguments.options);
}

int show_model(const Arguments& arguments) {
  return or_failure(kModelError, [&] {
    WrittenFiles files(arguments);
    if (const auto problem = files.problem()) {
      print(arguments, {*problem});
      return kModelError;
    }
    const Conversion* const conversion = keep(read_model(with_source(arguments), arguments.models[0]));
    print(arguments, conversion->diagnostics);
    if (!conversion->model) return kModelError;
    const Model* const model = &*conversion->model;
    if (!arguments.html.empty()) {
      files.add_read(conversion->files, arguments.models[0]);
      auto problem = files.problem();
      if (!problem) problem = write_html_page(*model, arguments.html);
      if (problem) print(arguments, {*problem});
      return problem ? kModelError : kDone;
    }
    std::cout << (arguments.has_origins ? model->text_with_origins() : model->text()) << std::flush;
    return std::cout.good() ? kDone : kModelError;
  });
}

int diff_models(const Arguments& arguments) {
  constexpr std::size_t kMostLines = 100;
  return or_failure(kUsage, [&] {
    WrittenFiles files(arguments);
    auto problem = files.problem();
    if (problem) {
      print(arguments, {*problem});
      return kUsage;
    }
    const Arguments how = arguments.html.empty() ? arguments : with_source(arguments);
    const Model* const before = read_or_report(how, arguments.models[0], files);
    const Model* const after = read_or_report(how, arguments.models[1], files);
    if (before == nullptr || after == nullptr) return kUsage;
    const DiffOptions options{.ignores_names = arguments.ignores_names};
    const std::vector<Difference> found = differences(*before, *after, options);
    if (!arguments.html.empty()) {
      problem = files.problem();
      if (!problem) problem = write_html_page(*before, *after, options, arguments.html);
      if (problem) print(arguments, {*problem});
      if (problem) return kUsage;
    } else if (arguments.has_json_output) {
      std::cout << to_json(found) << '\n';
    } else {
      for (std::size_t i = 0; i < std::min(found.size(), kMostLines); ++i) std::cout << found[i].text << '\n';
      if (found.size() > kMostLines)
        std::cout << "and " << found.size() - kMostLines << " more differences\n";
    }
    std::cout << std::flush;
    if (!std::cout.good()) return kUsage;
    return found.empty() ? kDone : kDifferent;
  });
}

}  // namespace onnx2ir::cli
