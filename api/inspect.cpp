// Reads, prints and compares IR.
#include <exception>
#include <iterator>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "api/model.hpp"
#include "api/statistics_json.hpp"
#include "backend_html/page.hpp"
#include "backend_xml/xml_reader.hpp"
#include "base/failure.hpp"
#include "base/input_file.hpp"
#include "frontend/model_facts.hpp"
#include "ir/diff/diff.hpp"
#include "ir/origins.hpp"
#include "ir/size_expression.hpp"
#include "ir/text/parser.hpp"
#include "ir/text/printer.hpp"
#include "passes/emitters.hpp"

namespace onnx2ir {
namespace {

/// Opens a file. Throws Failure (unreadable_input).
std::shared_ptr<const base::InputFile> opened(const std::filesystem::path& path) {
  auto file = base::open_file(path);
  if (!file)
    throw base::Failure(DiagnosticCode::unreadable_input,
                        "cannot read '" + path.string() + "': " + file.error().message);
  return *std::move(file);
}

/// A model without constants has no weights file.
ir::ConstantData weights_of(const std::filesystem::path& xml, std::filesystem::path bin) {
  if (bin.empty()) {
    bin = std::filesystem::path(xml).replace_extension(".bin");
    std::error_code error;
    if (!std::filesystem::exists(bin, error)) return {};
  }
  auto file = opened(bin);
  const std::uint64_t size = file->size();
  return {std::move(file), 0, size};
}

/// XML, or text IR in a file with the extension .ir.
std::unique_ptr<ir::Model> read_model(const std::filesystem::path& path, const std::filesystem::path& bin) {
  const std::string text = opened(path)->text();
  const ir::ConstantData weights = weights_of(path, bin);
  return path.extension() == ".ir" ? ir::parse_text(text, weights) : backend_xml::read_xml(text, weights);
}

bool is_about_input(const base::Failure& failure) {
  return failure.code() == DiagnosticCode::unreadable_ir ||
         failure.code() == DiagnosticCode::unreadable_input;
}

/// The message for IR that cannot be read; `name` as in read_into().
std::string text_of(const Problem& problem, const std::string& name) {
  if (problem.code == DiagnosticCode::unreadable_input) return problem.message;  // names the file
  const TextPosition& at = problem.position;
  if (at.line != 0)
    return name + ", line " + std::to_string(at.line) + ", column " + std::to_string(at.column) + ": " +
           problem.message;
  return (name.empty() ? "the IR cannot be read: " : name + ": ") + problem.message;
}

/// Runs `read`, and converts its exceptions to diagnostics. Sets `conversion.model` if there is no error.
/// `name`: "'model.xml'"; empty for IR in memory.
template <typename Read>
void read_into(Conversion& conversion, const std::string& name, Read read) {
  const auto fail = [&](Problem problem) {
    conversion.diagnostics.push_back(base::diagnostic_of(std::move(problem)));
  };
  try {
    auto implementation = std::make_unique<Model::Implementation>();
    implementation->model = read();
    conversion.model.emplace(std::move(implementation));
  } catch (const std::bad_alloc&) {
    fail({DiagnosticCode::out_of_memory, "the IR needs more memory than is available"});
  } catch (const base::Failure& failure) {
    fail(is_about_input(failure) ? Problem{DiagnosticCode::unreadable_ir, text_of(failure.problem(), name),
                                           failure.problem().hint}
                                 : base::internal_error(failure.what(), "IR"));
  } catch (const std::exception& fault) {
    fail(base::internal_error(fault.what(), "IR"));
  }
}

/// The names that the ONNX model gives to the sizes of its inputs.
void add_size_names(const Model::Implementation& converted, ir::SizeNames& names) {
  for (const ir::Node* parameter : converted.model->graph.parameters()) {
    const ir::PartialShape& shape = parameter->output(0).shape;
    for (const std::string& tensor : parameter->output(0).names) {
      const auto found = converted.input_names.find(tensor);
      if (found == converted.input_names.end() || !shape.has_rank() || found->second.size() != shape.rank())
        continue;
      for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        const ir::SizeExpression* const size = shape[axis].expression();
        const bool is_symbol = size != nullptr && size->terms.size() == 1 &&
                               size->terms[0].factors.size() == 1 && size->terms[0].numerator == 1 &&
                               size->terms[0].denominator == 1;
        if (is_symbol && !found->second[axis].empty())
          names.emplace(size->terms[0].factors[0], found->second[axis]);
      }
    }
  }
}

/// The origins of the layers of `written`, a copy of the model of `converted`. The operators of ONNX are
/// known if the ONNX model was kept (Options::keep_source); for a model that was read from an IR, nothing is
/// known.
ir::Origins origins_of(const Model::Implementation& converted, const ir::Model& written) {
  ir::Origins origins;
  if (!converted.is_converted) return origins;
  ir::pair_nodes(written.graph, converted.model->graph, origins);
  origins.emitters = passes::emitters();
  if (converted.source) origins.operators = frontend::operators_by_name(*converted.source);
  add_size_names(converted, origins.size_names);
  return origins;
}

}  // namespace

std::unique_ptr<ir::Model> written(Model::Implementation& model) {
  const std::scoped_lock lock(model.writing);
  return backend_xml::as_written(*model.model);
}

Conversion read_ir_bytes(std::string_view xml, std::vector<std::byte> weights) {
  Conversion conversion;
  read_into(conversion, "", [&] { return backend_xml::read_xml(xml, ir::ConstantData(std::move(weights))); });
  return conversion;
}

Conversion read_ir(const std::filesystem::path& xml, const std::filesystem::path& bin) {
  Conversion conversion;
  const auto beside = std::filesystem::path(xml).replace_extension(".bin");
  conversion.files = {xml, bin.empty() ? beside : bin};
  read_into(conversion, "'" + xml.string() + "'", [&] {
    auto model = read_model(xml, bin);
    add_inputs(*model, conversion.files);
    return model;
  });
  std::error_code no_error;
  if (!conversion.model && conversion.diagnostics.back().code == DiagnosticCode::unreadable_ir &&
      conversion.diagnostics.back().hint.empty() && bin.empty() && xml.extension() != ".ir" &&
      std::filesystem::is_regular_file(xml, no_error) && !std::filesystem::exists(beside, no_error))
    conversion.diagnostics.back().hint =
        "there is no '" + beside.string() + "': put the weights beside the XML";
  return conversion;
}

std::string Model::text() const {
  return ir::text_with_hashes(*written(*implementation_));
}

std::string Model::text_with_origins() const {
  const auto copy = written(*implementation_);
  const ir::Origins origins = origins_of(*implementation_, *copy);
  return ir::text_with_hashes(*copy, &origins);
}

std::string Model::html() const {
  return html(onnx2ir::stats(*this));
}

std::string Model::html(const Stats& stats) const {
  const auto copy = written(*implementation_);
  return backend_html::page(*copy, origins_of(*implementation_, *copy), json_of(stats));
}

std::vector<Difference> differences(const Model& before, const Model& after, const DiffOptions& options) {
  auto found = ir::diff(*written(*before.implementation_), *written(*after.implementation_), options);
  return {std::move_iterator(found.begin()), std::move_iterator(found.end())};
}

std::string differences_html(const Model& before, const Model& after, const DiffOptions& options) {
  const auto old_copy = written(*before.implementation_);
  const auto new_copy = written(*after.implementation_);
  const ir::Origins old_origins = origins_of(*before.implementation_, *old_copy);
  const ir::Origins new_origins = origins_of(*after.implementation_, *new_copy);
  return backend_html::comparison_page({old_copy.get(), &old_origins}, {new_copy.get(), &new_origins},
                                       ir::diff(*old_copy, *new_copy, options));
}

std::vector<std::string> diff(const Model& before, const Model& after) {
  std::vector<std::string> lines;
  for (Difference& one : differences(before, after)) lines.push_back(std::move(one.text));
  return lines;
}

}  // namespace onnx2ir
