// Checks graphs: definitions and uses of names, and the nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <onnx2ir/diagnostic.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_table.hpp"
#include "frontend/reader/functions.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/opset_imports.hpp"

namespace onnx {
class OpSchema;
}  // namespace onnx

namespace onnx2ir::frontend {

class WeightTable;

/// Tensors whose elements cannot be read because of one file.
struct UnreadableFile {
  Diagnostic first;                  ///< of the first tensor
  std::vector<std::string> tensors;  ///< names
};

/// State shared by all checks of one model.
struct ModelCheck {
  const FunctionIndex& functions;
  WeightTable& weights;
  DiagnosticSink& sink;
  std::uint64_t max_function_nodes;  ///< that calls may add
  /// By the location of the file: a missing file is one error, regardless of the number of tensors that need
  /// it.
  std::map<std::string, UnreadableFile, std::less<>> unreadable_files = {};
  /// The first input of the main graph with a default value, and the number of others.
  std::string first_default = {};
  std::size_t more_defaults = 0;
  /// True as long as no checked node, with its bodies, uses an output of itself or of a later node.
  bool is_ordered = true;

  /// A damaged model can be wrong in every byte; more errors are of no use.
  static constexpr std::size_t kMaxErrors = 200;
  bool has_too_many_errors() const { return sink.error_count() >= kMaxErrors; }
};

/// The data that the checks need about an operator.
struct CheckedOperator {
  bool is_imported = false;                ///< whether the version of its domain is known
  std::int64_t version = 0;                ///< of its domain
  const onnx::OpSchema* schema = nullptr;  ///< null: a custom or unknown operator
  bool is_removed = false;                 ///< existed in older versions
};

/// State shared by the checks of the main graph with its bodies, or of one function.
struct BodyCheck {
  ModelCheck& model;
  const OpsetImports& opsets;
  const onnx::FunctionProto* function = nullptr;       ///< null: the main graph
  std::set<std::string, std::less<>> assumed_domains;  ///< used without an import; reported once
  /// By domain and name: data that is the same for all nodes of an operator is computed once.
  std::map<std::string_view, base::NameTable<CheckedOperator>> operators;
  /// The attributes of `function`, once a node refers to one.
  std::optional<base::NameTable<bool>> parameters = {};
};

/// Checks the main graph and all its bodies.
void check_main_graph(const onnx::GraphProto& graph, BodyCheck& check);
/// Checks the inputs, outputs and nodes of check.function.
void check_function_body(BodyCheck& check);

/// A place in a graph for diagnostics: a node, or the graph itself.
struct Site {
  std::string_view graph_path;
  const onnx::NodeProto* node = nullptr;
  std::int64_t node_index = -1;
};
Place place_of(const Site& site, const BodyCheck& check);

/// Checks a body in an attribute of a node, in the node's scope.
using BodyVisitor = std::function<void(const onnx::GraphProto& body, std::string_view attribute)>;

/// Checks a single node: operator, attributes, number of inputs and outputs. Calls `visit_body` for its
/// bodies.
void check_node(const Site& site, BodyCheck& check, const BodyVisitor& visit_body);

/// Checks the data of a tensor. `what` describes it in messages: "initializer".
void check_tensor(const onnx::TensorProto& tensor, std::string_view what, const Site& site, BodyCheck& check);
void check_tensor(const onnx::SparseTensorProto& tensor, std::string_view what, const Site& site,
                  BodyCheck& check);

}  // namespace onnx2ir::frontend
