#include "opt/output.hpp"

#include <iostream>

#include "backend_xml/file_output.hpp"
#include "backend_xml/output_check.hpp"
#include "backend_xml/write_model.hpp"
#include "ir/text/printer.hpp"

namespace onnx2ir::opt {
namespace {

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
