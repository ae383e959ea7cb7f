#include "frontend/reader/model_check.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/failure.hpp"
#include "frontend/reader/bodies.hpp"
#include "frontend/reader/external_data.hpp"
#include "frontend/reader/functions.hpp"
#include "frontend/reader/graph_check.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/place.hpp"
#include "frontend/reader/schemas.hpp"
#include "frontend/reader/tensor_data.hpp"
#include "frontend/reader/weight_table.hpp"

namespace onnx2ir::frontend {
namespace {

/// Domains that onnxruntime or OpenVINO knows, so that they may be used without an import.
constexpr std::string_view kKnownDomains[] = {
    "", "ai.onnx.ml", "com.microsoft", "org.openvinotoolkit", "org.pytorch.aten", "mmdeploy"};

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
    Diagnostic diagnostic = base::diagnostic_of(
        {DiagnosticCode::bad_external_data,
         fmt::format("{} tensors cannot be read from the file '{}'", file.tensors.size(), location),
         "put the complete file, as it was saved with the model, next to the model"},
        graph_place(kMainGraphPath));
    diagnostic.notes = {file.first.message, fmt::format("tensors: {}", fmt::join(file.tensors, ", "))};
    check.sink.report(std::move(diagnostic));
  }
}

/// The versions in a list of imports; errors are reported at `place`.
OpsetImports read_opset_imports(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports,
                                const Place& place, DiagnosticSink& sink) {
  OpsetImports opsets;
  for (const auto& import : imports) {
    const std::string_view domain = shown_domain(canonical_domain(import.domain()));
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

/// Limits the depth of nested calls, each of which is a level of recursion in the translation.
constexpr int kMaxCallDepth = 64;

/// Follows calls from the main graph and counts the nodes after inlining.
class CallTree {
 public:
  explicit CallTree(ModelCheck& check) : check_(check) {}

  /// The number of nodes that calls in `nodes` add, including `nodes` themselves if `depth` is not 0. Stops
  /// at one more than the limit.
  std::uint64_t expanded_size(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes, int depth) {
    std::uint64_t size = 0;
    for (const auto& node : nodes) {
      if (failed_) return 0;
      if (depth > 0) ++size;
      if (const auto* function = check_.functions.find(node)) add(size, expanded_size(*function, depth));
      for_each_body(node, [&](const auto& body) { add(size, expanded_size(body.node(), depth)); });
    }
    return size;
  }

  bool failed() const { return failed_; }

 private:
  struct State {
    bool finished = false;
    std::uint64_t size = 0;
  };

  std::uint64_t expanded_size(const onnx::FunctionProto& function, int depth) {
    const auto [found, is_new] = functions_.try_emplace(&function);
    if (found->second.finished) return found->second.size;
    if (!is_new) return fail(function, "The function calls itself");
    if (depth >= kMaxCallDepth) {
      return fail(function, fmt::format("Calls of functions are nested more than {} deep", kMaxCallDepth));
    }
    const std::uint64_t size = expanded_size(function.node(), depth + 1);
    functions_[&function] = {true, size};
    return size;
  }

  std::uint64_t fail(const onnx::FunctionProto& function, std::string message) {
    if (!failed_) {
      check_.sink.error(DiagnosticCode::invalid_function, std::move(message),
                        graph_place(function_path(function)));
    }
    failed_ = true;
    return 0;
  }

  void add(std::uint64_t& sum, std::uint64_t value) const {
    sum = std::min(sum + value, check_.max_function_nodes + 1);
  }

  ModelCheck& check_;
  std::unordered_map<const onnx::FunctionProto*, State> functions_;
  bool failed_ = false;
};

void check_function(const onnx::FunctionProto& function, ModelCheck& check) {
  const Place place = graph_place(function_path(function));
  if (function.name().empty()) {
    check.sink.error(DiagnosticCode::invalid_function, "A function has no name", place);
    return;
  }
  if (check.functions.find(function) != &function) {
    check.sink.error(DiagnosticCode::duplicate_name, "There is more than one function of this name", place);
    return;
  }
  const OpsetImports opsets = read_opset_imports(function.opset_import(), place, check.sink);
  BodyCheck body{check, opsets, &function, {}, {}};
  check_function_body(body);
}

/// Checks all functions of `model`: their bodies, that none calls itself, and that inlining all calls does
/// not exceed the limit of nodes.
void check_functions(const onnx::ModelProto& model, ModelCheck& check) {
  if (model.functions().empty()) return;
  for (const auto& function : model.functions()) {
    if (check.has_too_many_errors()) return;
    check_function(function, check);
  }
  CallTree calls(check);
  const std::uint64_t size = calls.expanded_size(model.graph().node(), 0);
  if (!calls.failed() && size > check.max_function_nodes) {
    check.sink.report(base::diagnostic_of(
        too_many_function_nodes(DiagnosticCode::too_many_nodes, check.max_function_nodes)));
  }
}

}  // namespace

void check_tensor(const onnx::TensorProto& tensor, std::string_view what, const Site& site,
                  BodyCheck& check) {
  const bool external = tensor.data_location() == onnx::TensorProto::EXTERNAL;
  if (external) check.model.weights.open_external(tensor);
  const auto problem = tensor_problem(tensor, check.model.weights);
  if (!problem) return;
  const std::string name =
      tensor.name().empty() ? std::string(what) : fmt::format("{} '{}'", what, tensor.name());
  Diagnostic diagnostic = base::diagnostic_of(
      external ? Problem{DiagnosticCode::bad_external_data,
                         fmt::format("The {} cannot be read: {}", name, problem->message), problem->hint}
               : Problem{DiagnosticCode::invalid_tensor,
                         fmt::format("The {} is damaged: {}", name, problem->message)},
      place_of(site, check));
  std::optional<std::string> location;
  if (external) {
    if (auto range = parse_external_range(tensor)) location = std::move(range->location);
  }
  if (!location) return check.model.sink.report(std::move(diagnostic));
  UnreadableFile& file = check.model.unreadable_files[*location];
  if (file.tensors.empty()) file.first = std::move(diagnostic);
  file.tensors.push_back(tensor.name());
}

void check_tensor(const onnx::SparseTensorProto& tensor, std::string_view what, const Site& site,
                  BodyCheck& check) {
  check_tensor(tensor.values(), what, site, check);
  // A tensor without entries need not have indices.
  if (tensor.has_indices()) check_tensor(tensor.indices(), what, site, check);
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
  for (std::string_view domain : kKnownDomains) opsets.add(domain, newest_opset(domain).value_or(1));
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
    sink.report(base::diagnostic_of(
        {DiagnosticCode::more_errors, "The model was not checked further after so many errors"}, {},
        Severity::remark));
  }
  return check.is_ordered;
}

}  // namespace onnx2ir::frontend
