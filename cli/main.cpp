// The command line: options, reports, exit codes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <onnx2ir/onnx2ir.hpp>

namespace {

enum ExitCode : int { kDone = 0, kModelError = 1, kUsage = 2, kInternal = 3 };

struct Arguments {
  std::filesystem::path model;
  std::string output;
  bool verbose = false;
  bool quiet = false;
  std::string diagnostics_format = "text";
};

/// FILE.xml as given; in a folder, or without -o in the current one, the model's name with .xml.
std::filesystem::path xml_path(const Arguments& arguments) {
  const std::filesystem::path named = arguments.model.filename().replace_extension(".xml");
  if (arguments.output.empty()) return named;
  std::filesystem::path output = arguments.output;
  if (std::filesystem::is_directory(output) || !output.has_filename()) return output / named;
  return output;
}

void print(const Arguments& arguments, const std::vector<onnx2ir::Diagnostic>& diagnostics) {
  if (arguments.diagnostics_format == "json") {
    std::cerr << onnx2ir::to_json(diagnostics) << '\n';
    return;
  }
  for (const onnx2ir::Diagnostic& diagnostic : diagnostics) {
    if (arguments.quiet && diagnostic.severity != onnx2ir::Severity::error) continue;
    std::cerr << onnx2ir::to_string(diagnostic) << '\n';
  }
}

bool has_internal_error(const std::vector<onnx2ir::Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const auto& diagnostic) { return diagnostic.code == "internal-error"; });
}

int convert(const Arguments& arguments) {
  const std::filesystem::path xml = xml_path(arguments);
  if (xml.extension() != ".xml") {
    std::cerr << "onnx2ir: the output must be a folder or end in .xml: '" << xml.string() << "'\n";
    return kUsage;
  }
  onnx2ir::Conversion conversion = onnx2ir::convert_file(arguments.model);
  if (conversion.model) {
    if (auto problem = conversion.model->save(xml)) conversion.diagnostics.push_back(*std::move(problem));
  }
  print(arguments, conversion.diagnostics);
  const auto errors =
      std::count_if(conversion.diagnostics.begin(), conversion.diagnostics.end(),
                    [](const auto& diagnostic) { return diagnostic.severity == onnx2ir::Severity::error; });
  if (errors == 0) return kDone;
  if (arguments.diagnostics_format == "text") {
    std::cerr << "onnx2ir: '" << arguments.model.string() << "' was not converted: " << errors
              << (errors == 1 ? " error\n" : " errors\n");
  }
  return has_internal_error(conversion.diagnostics) ? kInternal : kModelError;
}

int list_operators() {
  for (const onnx2ir::OperatorInfo& row : onnx2ir::supported_operators()) {
    std::cout << (row.domain.empty() ? "" : row.domain + ".") << row.name << "  ";
    for (std::size_t i = 0; i < row.versions.size(); ++i) std::cout << (i == 0 ? "" : ",") << row.versions[i];
    std::cout << "  " << row.lowering;
    if (!row.limits.empty()) std::cout << "  not: " << row.limits;
    std::cout << '\n';
  }
  return kDone;
}

int run(int argc, char** argv) {
  Arguments arguments;
  bool list_ops = false;
  CLI::App app("onnx2ir: converts an ONNX model to OpenVINO IR");
  app.set_version_flag("--version", "onnx2ir " + std::string(onnx2ir::version()));
  app.add_option("MODEL", arguments.model, "the model: ONNX protobuf or ONNX text");
  app.add_option("-o,--output", arguments.output, "FILE.xml, or a folder; the weights go beside it");
  app.add_flag("--verbose", arguments.verbose, "say what is done");
  app.add_flag("--quiet", arguments.quiet, "no warnings");
  app.add_option("--diagnostics-format", arguments.diagnostics_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_flag("--list-ops", list_ops, "list the operators that are converted");
  try {
    app.parse(argc, argv);
    if (!list_ops && arguments.model.empty()) throw CLI::RequiredError("MODEL");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kUsage;
  }
  return list_ops ? list_operators() : convert(arguments);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "onnx2ir: %s\n", fault.what());
    return kInternal;
  }
}
