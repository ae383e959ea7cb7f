// Writes models: to files, to memory, and to functions of the program.
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/model.hpp"
#include "api/stages.hpp"
#include "backend_xml/weights_digest.hpp"
#include "backend_xml/write_model.hpp"
#include "base/failure.hpp"
#include "base/overwriting.hpp"
#include "onnx2ir/onnx2ir.hpp"

namespace onnx2ir {
namespace {

std::filesystem::path weights_beside(const std::filesystem::path& xml, const std::filesystem::path& bin) {
  return bin.empty() ? std::filesystem::path(xml).replace_extension(".bin") : bin;
}

std::optional<Diagnostic> diagnostic_of(std::optional<Problem> problem) {
  if (!problem) return std::nullopt;
  if (problem->code == DiagnosticCode::unreadable_input) return unreadable_input(problem->message);
  return base::diagnostic_of(*std::move(problem));
}

}  // namespace

std::optional<Diagnostic> Model::save(const std::filesystem::path& xml, const std::filesystem::path& bin,
                                      const SaveOptions& options) const {
  const std::scoped_lock lock(implementation_->writing);
  return diagnostic_of(backend_xml::write_files(*implementation_->model, xml, weights_beside(xml, bin),
                                                options, implementation_->threads));
}

std::optional<Diagnostic> Model::write(const ByteSink& xml, const ByteSink& weights,
                                       const SaveOptions& options) const {
  const std::scoped_lock lock(implementation_->writing);
  return diagnostic_of(backend_xml::write_streams(*implementation_->model, xml, weights, options));
}

std::string Model::xml() const {
  const std::scoped_lock lock(implementation_->writing);
  return backend_xml::xml_text(*implementation_->model);
}
std::vector<std::byte> Model::weights() const {
  const std::scoped_lock lock(implementation_->writing);
  return backend_xml::weights_bytes(*implementation_->model);
}

void Model::copy_weights(const std::function<std::byte*(std::size_t size)>& allocate) const {
  const std::scoped_lock lock(implementation_->writing);
  backend_xml::copy_weights(*implementation_->model, allocate);
}

std::optional<Diagnostic> check_files(const std::filesystem::path& xml, const std::filesystem::path& bin) {
  auto problem = backend_xml::pair_problem(xml, weights_beside(xml, bin));
  if (!problem) return std::nullopt;
  return base::diagnostic_of({DiagnosticCode::not_a_pair, *std::move(problem), "convert the model again"});
}

namespace {

std::vector<base::UsedFile> used_files(std::span<const UsedFile> files) {
  std::vector<base::UsedFile> result;
  result.reserve(files.size());
  for (const UsedFile& file : files) result.push_back({file.path, file.use});
  return result;
}

std::optional<Diagnostic> cannot_write(std::optional<std::string> problem) {
  if (!problem) return std::nullopt;
  return base::diagnostic_of(
      {DiagnosticCode::cannot_write, *std::move(problem), std::string(backend_xml::kOtherOutput)});
}

}  // namespace

std::optional<Diagnostic> output_problem(const std::filesystem::path& output,
                                         std::span<const UsedFile> used) {
  return cannot_write(base::overwriting_problem(output, used_files(used)));
}

std::optional<Diagnostic> output_problem(std::span<const UsedFile> written, std::span<const UsedFile> used) {
  return cannot_write(base::overwriting_problem(used_files(written), used_files(used)));
}

}  // namespace onnx2ir
