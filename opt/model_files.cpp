#include "opt/model_files.hpp"

#include <fmt/core.h>

#include <iostream>
#include <iterator>
#include <string>

#include "backend_xml/file_output.hpp"
#include "backend_xml/write_model.hpp"
#include "backend_xml/xml_reader.hpp"
#include "base/failure.hpp"
#include "base/input_file.hpp"
#include "frontend/frontend.hpp"
#include "ir/text/parser.hpp"
#include "ir/text/printer.hpp"

namespace onnx2ir::opt {
namespace {

[[noreturn]] void fail(const std::string& message) {
  throw base::Failure(DiagnosticCode::unreadable_ir, message);
}

std::shared_ptr<const base::InputFile> opened(const std::filesystem::path& path) {
  auto file = base::open_file(path);
  if (!file) fail(fmt::format("{}: error: cannot read the file: {}", path.string(), file.error().message));
  return *std::move(file);
}

/// The weights file is optional: a small model needs none.
ir::ConstantData weights_of(const Input& input) {
  std::filesystem::path path = input.weights;
  if (path.empty()) {
    path = std::filesystem::path(input.model).replace_extension(".bin");
    if (input.model == "-" || !std::filesystem::exists(path)) return {};
  }
  auto file = opened(path);
  const std::uint64_t size = file->size();
  return {std::move(file), 0, size};
}

std::unique_ptr<ir::Model> parsed(const Input& input, std::string_view text) {
  const bool is_xml = input.model.extension() == ".xml";
  const ir::ConstantData weights = weights_of(input);
  auto model = base::attempt(DiagnosticCode::unreadable_ir, [&] {
    return is_xml ? backend_xml::read_xml(text, weights) : ir::parse_text(text, weights);
  });
  if (model) return *std::move(model);
  const auto& [line, column] = model.error().position;
  fail(fmt::format("{}{}: error: {}", input.model.string(),
                   is_xml ? std::string() : fmt::format(":{}:{}", line, column), model.error().message));
}

bool publish(backend_xml::FileOutput& file) {
  if (!file.complete() || !file.prepare(false) || !file.publish()) return false;
  file.finish();
  return true;
}

std::optional<std::string> write_text(const ir::Model& model, const std::filesystem::path& path) {
  const std::filesystem::path bin = std::filesystem::path(path).replace_extension(".bin");
  if (auto refused = backend_xml::output_problem(path, bin, {})) return refused;
  ir::TextWeights weights;
  const std::string text = ir::text(model, weights);
  // The weights first: the text's constants may be views on the file that is replaced here.
  if (weights.size != 0) {
    backend_xml::FileOutput file(bin);
    for (const auto& [data, offset] : weights.blocks) {
      if (!file.seek(offset) || !file.write(data)) return file.problem()->message;
    }
    if (!publish(file)) return file.problem()->message;
  }
  backend_xml::FileOutput file(path);
  if (!file.write(text) || !publish(file)) return file.problem()->message;
  return std::nullopt;
}

}  // namespace

std::unique_ptr<ir::Model> read_model(const Input& input, const target::Target& target,
                                      DiagnosticSink& sink) {
  if (input.model == "-") return parsed(input, std::string(std::istreambuf_iterator<char>(std::cin), {}));
  if (input.model.extension() == ".ir" || input.model.extension() == ".xml")
    return parsed(input, opened(input.model)->text());
  return frontend::import_model(input.model, {}, target, sink).model;
}

std::optional<std::string> write_model(const ir::Model& model, const std::filesystem::path& path) {
  if (path.empty()) {
    std::cout << ir::text(model) << std::flush;
    if (!std::cout) return "standard output cannot be written";
    return std::nullopt;
  }
  if (path.extension() != ".xml") return write_text(model, path);
  const auto problem =
      backend_xml::write_files(model, path, std::filesystem::path(path).replace_extension(".bin"), {});
  if (problem) return problem->message;
  return std::nullopt;
}

}  // namespace onnx2ir::opt
