#include "opt/input.hpp"

#include <fmt/core.h>

#include <iostream>
#include <iterator>
#include <span>
#include <string>

#include "backend_xml/xml_reader.hpp"
#include "base/failure.hpp"
#include "base/input_file.hpp"
#include "frontend/frontend.hpp"
#include "ir/text/parser.hpp"

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
  const ir::ConstantData weights = weights_of(input);
  auto model = base::attempt(DiagnosticCode::unreadable_ir, [&] { return ir::parse_text(text, weights); });
  if (model) return *std::move(model);
  const Problem& problem = model.error();
  fail(fmt::format("{}:{}:{}: error: {}", input.model.string(), problem.position.line,
                   problem.position.column, problem.message));
}

std::unique_ptr<ir::Model> read_ir_xml(const Input& input) {
  const std::string text = opened(input.model)->text();
  const ir::ConstantData weights = weights_of(input);
  auto model =
      base::attempt(DiagnosticCode::unreadable_ir, [&] { return backend_xml::read_xml(text, weights); });
  if (!model) fail(fmt::format("{}: error: {}", input.model.string(), model.error().message));
  return *std::move(model);
}

}  // namespace

std::unique_ptr<ir::Model> read_model(const Input& input, const target::Target& target,
                                      DiagnosticSink& sink) {
  if (input.model == "-") return parsed(input, std::string(std::istreambuf_iterator<char>(std::cin), {}));
  if (input.model.extension() == ".ir") return parsed(input, opened(input.model)->text());
  if (input.model.extension() == ".xml") return read_ir_xml(input);
  return frontend::import_model(input.model, {}, target, sink).model;
}

}  // namespace onnx2ir::opt
