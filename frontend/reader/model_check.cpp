#include "frontend/reader/model_check.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include "frontend/reader/function_check.hpp"
#include "frontend/reader/graph_check.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/place.hpp"
#include "frontend/reader/schemas.hpp"

namespace onnx2ir::frontend {
namespace {

/// Domains that onnxruntime or OpenVINO knows, so that they may be used without an import.
constexpr std::string_view kKnownDomains[] = {
    "", "ai.onnx.ml", "com.microsoft", "org.openvinotoolkit", "org.pytorch.aten", "mmdeploy"};

std::int64_t newest_or_first(std::string_view domain) {
  return newest_opset(domain).value_or(1);
}

std::string shown(std::string_view domain) {
  return domain.empty() ? "ai.onnx" : std::string(domain);
}

void check_ir_version(const onnx::ModelProto& model, DiagnosticSink& sink) {
  if (!model.has_ir_version()) {
    sink.warning(DiagnosticCode::no_ir_version, "The model does not state its version of the ONNX format");
  } else if (model.ir_version() > onnx::Version::IR_VERSION) {
    sink.error(DiagnosticCode::unsupported_version,
               fmt::format("The model has version {} of the ONNX format; the newest known is {}",
                           model.ir_version(), static_cast<int>(onnx::Version::IR_VERSION)));
  }
}

/// Before version 4 of the format, all initializers had to be inputs as well.
void warn_of_defaults(const onnx::ModelProto& model, const ModelCheck& check) {
  constexpr int kFirstWithFreeInitializers = 4;
  if (check.first_default.empty() || model.ir_version() < kFirstWithFreeInitializers) return;
  const std::string others =
      check.more_defaults == 0 ? "" : fmt::format(", and so have {} other inputs", check.more_defaults);
  check.sink.warning(DiagnosticCode::input_default,
                     fmt::format("The input '{}' has a default value{}: it becomes a constant",
                                 check.first_default, others));
}

/// Reports one error per file.
void report_unreadable_files(ModelCheck& check) {
  for (auto& [location, file] : check.unreadable_files) {
    if (file.tensors.size() == 1) {
      check.sink.report(std::move(file.first));
      continue;
    }
    Diagnostic diagnostic;
    diagnostic.code = DiagnosticCode::bad_external_data;
    diagnostic.message =
        fmt::format("{} tensors cannot be read from the file '{}'", file.tensors.size(), location);
    diagnostic.place.graph = std::string(kMainGraphPath);
    diagnostic.notes = {file.first.message, fmt::format("tensors: {}", fmt::join(file.tensors, ", "))};
    diagnostic.hint = "put the complete file, as it was saved with the model, next to the model";
    check.sink.report(std::move(diagnostic));
  }
}

}  // namespace

OpsetImports read_opset_imports(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports,
                                const Place& place, DiagnosticSink& sink) {
  OpsetImports opsets;
  for (const auto& import : imports) {
    const std::string domain = shown(canonical_domain(import.domain()));
    const auto newest = newest_opset(import.domain());
    if (import.version() < 1 && !canonical_domain(import.domain()).empty()) {
      // onnxruntime runs such models if they have no node of that domain.
      sink.warning(DiagnosticCode::unsupported_version,
                   fmt::format("{} is imported as version {}, which does not exist; the import is ignored",
                               domain, import.version()),
                   place);
      continue;
    }
    if (import.version() < 1) {
      sink.error(DiagnosticCode::unsupported_version,
                 fmt::format("{} is imported as version {}", domain, import.version()), place);
    } else if (newest && import.version() > *newest) {
      sink.error(DiagnosticCode::unsupported_version,
                 fmt::format("{} is imported as version {}; the newest known is {}", domain, import.version(),
                             *newest),
                 place);
    }
    if (opsets.add(import.domain(), import.version())) continue;
    sink.warning(DiagnosticCode::repeated_import,
                 fmt::format("{} is imported more than once; version {} is used", domain, import.version()),
                 place);
    opsets.set(import.domain(), import.version());
  }
  return opsets;
}

OpsetImports import_opsets(const onnx::ModelProto& model, DiagnosticSink& sink) {
  OpsetImports opsets = read_opset_imports(model.opset_import(), Place{}, sink);
  if (model.opset_import().empty()) {
    // https://github.com/onnx/onnx/blob/main/docs/IR.md: opset_import was added in version 3 of the format.
    if (model.has_ir_version() && model.ir_version() < 3) {
      opsets.add("", 1);
    } else {
      sink.error(DiagnosticCode::invalid_model, "The model imports no operator set");
    }
  }
  for (std::string_view domain : kKnownDomains) opsets.add(domain, newest_or_first(domain));
  return opsets;
}

bool check_model(const onnx::ModelProto& model, const OpsetImports& opsets, const FunctionIndex& functions,
                 WeightTable& weights, std::uint64_t max_function_nodes, DiagnosticSink& sink) {
  check_ir_version(model, sink);
  if (!model.has_graph()) {
    sink.error(DiagnosticCode::invalid_model, "The model has no graph");
    return false;
  }
  ModelCheck check{functions, weights, sink, max_function_nodes};
  BodyCheck main{check, opsets, nullptr, {}, {}};
  for (const auto& [domain, version] : opsets.all()) main.assumed_domains.insert(domain);
  for (const auto& import : model.opset_import()) {
    if (import.version() > 0) main.assumed_domains.erase(std::string(canonical_domain(import.domain())));
  }
  if (model.opset_import().empty()) main.assumed_domains.clear();
  check_main_graph(model.graph(), main);
  warn_of_defaults(model, check);
  check_functions(model, check);
  report_unreadable_files(check);
  if (check.has_too_many_errors()) {
    sink.report({Severity::remark,
                 DiagnosticCode::more_errors,
                 "The model was not checked further after so many errors",
                 {},
                 {},
                 {}});
  }
  return check.is_ordered;
}

}  // namespace onnx2ir::frontend
