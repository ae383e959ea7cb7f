#include "frontend/reader/function_check.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "frontend/reader/functions.hpp"
#include "frontend/reader/model_check.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/place.hpp"

namespace onnx2ir::frontend {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

/// Limits the depth of nested calls, each of which is a level of recursion in the translation.
constexpr int kMaxCallDepth = 64;

/// Follows calls from the main graph and counts the nodes after inlining.
class CallTree {
 public:
  explicit CallTree(ModelCheck& check) : check_(check) {}

  /// The number of nodes that calls in `nodes` add, including `nodes` themselves if `depth` is not 0. Stops
  /// at one more than the limit.
  std::uint64_t expanded_size(const Nodes& nodes, int depth) {
    std::uint64_t size = 0;
    for (const auto& node : nodes) {
      if (failed_) return 0;
      if (depth > 0) ++size;
      if (const auto* function = check_.functions.find(node)) add(size, expanded_size(*function, depth));
      for (const auto& attribute : node.attribute()) {
        if (attribute.has_g()) add(size, expanded_size(attribute.g().node(), depth));
        for (const auto& graph : attribute.graphs()) add(size, expanded_size(graph.node(), depth));
      }
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
      Place place;
      place.graph = function_path(function);
      check_.sink.error(DiagnosticCode::invalid_function, std::move(message), std::move(place));
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
  Place place;
  place.graph = function_path(function);
  if (function.name().empty()) {
    check.sink.error(DiagnosticCode::invalid_function, "A function has no name", std::move(place));
    return;
  }
  if (check.functions.find(function) != &function) {
    check.sink.error(DiagnosticCode::duplicate_name, "There is more than one function of this name",
                     std::move(place));
    return;
  }
  const OpsetImports opsets = read_opset_imports(function.opset_import(), place, check.sink);
  BodyCheck body{check, opsets, &function, {}, {}};
  check_function_body(body);
}

}  // namespace

void check_functions(const onnx::ModelProto& model, ModelCheck& check) {
  if (model.functions().empty()) return;
  for (const auto& function : model.functions()) {
    if (check.has_too_many_errors()) return;
    check_function(function, check);
  }
  CallTree calls(check);
  const std::uint64_t size = calls.expanded_size(model.graph().node(), 0);
  if (!calls.failed() && size > check.max_function_nodes) {
    Diagnostic diagnostic;
    diagnostic.code = DiagnosticCode::too_many_nodes;
    diagnostic.message = too_many_function_nodes(check.max_function_nodes);
    diagnostic.hint = kRaiseFunctionNodes;
    check.sink.report(std::move(diagnostic));
  }
}

}  // namespace onnx2ir::frontend
