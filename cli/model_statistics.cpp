#include "cli/model_statistics.hpp"

#include <algorithm>
#include <iostream>
#include <string>

#include "cli/convert_models.hpp"
#include "cli/html_page.hpp"
#include "cli/inspect_models.hpp"
#include "cli/messages.hpp"
#include "cli/written_files.hpp"

namespace onnx2ir::cli {
namespace {

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

}  // namespace

int count_model(const Arguments& arguments) {
  const std::string& path = arguments.models[0];
  WrittenFiles files(arguments);
  if (const auto problem = files.problem()) {
    print(arguments, {*problem});
    return kModelError;
  }
  const Conversion conversion = read_model(arguments.html.empty() ? arguments : with_source(arguments), path);
  print(arguments, conversion.diagnostics);
  if (!conversion.model) return kModelError;
  StatsOptions options = arguments.stats;
  if (is_ir(path)) use_shapes_of_inputs(arguments, options);
  const Stats found = stats(*conversion.model, options);
  print(arguments, found.diagnostics);
  if (!found.diagnostics.empty()) return kModelError;
  if (!arguments.html.empty()) {
    files.add_read(conversion.files, path);
    auto problem = files.problem();
    if (!problem) problem = write_html_page(*conversion.model, found, arguments.html);
    if (problem) print(arguments, {*problem});
    return problem ? kModelError : kDone;
  }
  std::cout << (arguments.has_json_output ? to_json(found) : to_string(found)) << std::flush;
  return std::cout.good() ? kDone : kModelError;
}

}  // namespace onnx2ir::cli
