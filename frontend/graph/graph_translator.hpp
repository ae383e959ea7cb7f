// Translates the nodes of one ONNX graph, or of a function body, into an IR graph.
//
// A translator is a lexical scope: it knows the names of its graph and looks up others in the scope around
// it. A value of an outer graph enters a body as a Parameter (a capture), through every graph in between; a
// constant is cloned.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "frontend/graph/node_context.hpp"
#include "frontend/graph/node_order.hpp"
#include "frontend/graph/translator_table.hpp"
#include "frontend/reader/functions.hpp"
#include "frontend/reader/reader.hpp"
#include "ir/graph.hpp"
#include "ir/name_table.hpp"
#include "onnx2ir/diagnostic.hpp"

namespace onnx2ir::frontend {

/// What all scopes of a conversion share.
struct ConversionState {
  const LoadedModel* model;
  const TranslatorTable* translators;
  DiagnosticSink* sink;
  const target::Target* target;
  /// The most nodes that may come from calls of functions.
  std::uint64_t most_function_nodes = LoadOptions{}.max_function_nodes;
  /// How many came from them, those that were copied with the values of attributes included.
  std::uint64_t function_nodes = 0;
  bool has_too_many_nodes = false;
  std::map<const onnx::FunctionProto*, std::shared_ptr<const OpsetImports>> function_opsets = {};
  /// How many bodies around the node at work may be translated again with wider types of their states.
  int repeated_bodies = 0;
  /// The types that the states of loops in such bodies were found to need, by GraphTranslator::work_place().
  /// The next time they are where the search begins: so the number of times that a body is translated does
  /// not multiply with depth.
  std::map<std::string, std::vector<OperandType>, std::less<>> state_types = {};
  /// The branches of Ifs that are taken whatever the condition is, by GraphTranslator::work_place(): true for
  /// the then_branch. See frontend/graph/branch_choice.hpp.
  std::map<std::string, bool, std::less<>> chosen_branches = {};
  /// Whether an If whose branches differ in rank may throw BranchesDiffer.
  bool asks_for_branches = false;
  /// Where nodes were found that fail in each run: GraphTranslator::executed_path().
  std::vector<std::string> certain_failures = {};
};

/// Thrown by the translator of an If whose branches differ in rank, so that another try takes one of them.
class BranchesDiffer : public std::exception {
 public:
  BranchesDiffer(std::string place, std::string path)
      : work_place(std::move(place)), executed_path(std::move(path)) {}
  const char* what() const noexcept override { return "the branches of an If differ in rank"; }

  std::string work_place;
  std::string executed_path;
};

/// Thrown by the translator of a control-flow node when a body could not be translated: why has been
/// reported.
class AlreadyReported : public std::exception {
 public:
  const char* what() const noexcept override { return "a body cannot be translated"; }
};

/// A value of the graph around a body, and the body's Parameter that stands for it.
struct Capture {
  ir::Value outer;
  ir::Node* parameter;
};

class GraphTranslator {
 public:
  enum class Kind : std::uint8_t {
    main,     ///< the model's graph
    body,     ///< a graph of its own inside a Loop or If
    inlined,  ///< a body that is always taken: emitted into the graph around it, sees its names
    function  ///< a function's body: emitted into the graph around it, sees only the function's inputs
  };

  /// The main graph.
  GraphTranslator(ConversionState& conversion, ir::Graph& graph);
  /// A scope inside `parent`, which outlives it. `graph` is the parent's for inlined scopes and functions.
  GraphTranslator(GraphTranslator& parent, Kind kind, ir::Graph& graph, std::string path);
  GraphTranslator(const GraphTranslator&) = delete;
  GraphTranslator& operator=(const GraphTranslator&) = delete;

  ir::Graph& graph() const { return *graph_; }
  ConversionState& conversion() const { return *conversion_; }
  DiagnosticSink& sink() const { return *conversion_->sink; }
  const std::string& path() const { return path_; }
  Kind kind() const { return kind_; }
  /// The scope around, null for the main graph.
  const GraphTranslator* parent() const { return parent_; }
  /// The graph whose nodes are translated; null in functions.
  const onnx::GraphProto* proto() const { return proto_; }

  /// Gives `name` the meaning `value`; in the main graph the value takes the name as a tensor name.
  void bind(std::string_view name, Operand operand);
  /// Gives a bound name another meaning; no value takes the name.
  void rebind(std::string_view name, Operand operand);
  /// Says that `name` has no value because its node could not be translated: its consumers are passed over.
  void bind_unavailable(std::string_view name);
  /// Makes the initializers of `proto` known; they become constants when first used.
  void add_initializers(const onnx::GraphProto& proto);

  struct Lookup {
    Operand operand;
    enum class Status : std::uint8_t { found, unavailable, unknown } status;
  };
  /// The meaning of `name` here: a value of this scope's IR graph. Captures what stands outside.
  Lookup find(const ir::HashedName& name);

  /// The value of this body's graph that stands for `outer`, a value of the graph around.
  Operand capture(const Operand& outer);

  /// Whether `name` means something here or around; captures nothing.
  bool knows(const ir::HashedName& name) const;

  /// Translates `nodes`, in an order that works. Reports what cannot be; false when there was any such node.
  bool translate(const NodeList& nodes);
  /// The same for the nodes of a graph with initializers, whose inputs the caller has bound. Its outputs go
  /// to `outputs`.
  bool translate(const onnx::GraphProto& proto, Operands& outputs);

  /// Values of the graph around that this body uses, in order of first use. Only Kind::body has any.
  const std::vector<Capture>& captures() const { return captures_; }

  /// Emits `node`, an operator of another domain, as the function body that ONNX gives its operator of that
  /// name in version `opset`. False when a node of it could not be translated, or when there is no body.
  bool emit_onnx_body(const onnx::NodeProto& node, std::int64_t opset, const Operands& inputs,
                      Operands& outputs);

  /// The imported version of `domain`, nothing when it is not imported.
  std::optional<std::int64_t> opset(std::string_view domain) const;
  /// The rank the model's own notes (graph outputs, value_info) give the tensor `name` of this graph, or what
  /// is made of it element by element.
  std::optional<std::int64_t> declared_rank(std::string_view name) const;
  /// Where node `index` of this graph is.
  Place place(const onnx::NodeProto& node, std::int64_t index) const;
  /// The index of the node at work, for diagnostics of nested scopes.
  std::int64_t current_index() const { return current_index_; }
  /// Names the node at work among all nodes of the conversion, those of functions and bodies included.
  std::string work_place() const;
  /// The path of the graph or body that this scope is emitted into: all of its nodes run, or none.
  const std::string& executed_path() const;
  /// Path of a body of `node`: "main/loop_3.body".
  std::string path_of_body(const onnx::NodeProto& node, std::string_view attribute) const;

 private:
  /// The name of an output of a node that could not be translated.
  struct Unavailable {};

  void prefetch_names(const onnx::NodeProto& node) const;
  bool translate_node(const onnx::NodeProto& node, std::int64_t index);
  /// Appends the outputs of the node to `outputs`; false, when a node inside of it could not be translated.
  bool emit(const onnx::NodeProto& node, std::int64_t opset, const Operands& inputs, Operands& outputs);
  FunctionBody bound_function(const onnx::FunctionProto& function, const onnx::NodeProto& node);
  /// Counts nodes that a function's call adds; refuses the node when there are too many.
  void count_function_nodes(std::uint64_t nodes);
  [[noreturn]] void fail_too_many_nodes();
  bool emit_function(const FunctionBody& body, const Operands& inputs, Operands& outputs);
  void report(const onnx::NodeProto& node, std::int64_t index, DiagnosticCode code, std::string message,
              std::string hint = {}) const;
  void report_lack_of_memory(const onnx::NodeProto& node, std::int64_t index) const;
  /// Reports the operators without translation in a node that is passed over, and in its bodies: one run
  /// names them all.
  void report_unsupported(const onnx::NodeProto& node, std::int64_t index, std::string_view path);
  ir::Value capture_tensor(ir::Value outer);
  /// The nodes of `nodes` in an order that works.
  NodeOrder order_of(const NodeList& nodes) const;

  /// The meaning of a name; a tensor that is not emitted yet among them.
  using Binding =
      std::variant<Operand, Unavailable, const onnx::TensorProto*, const onnx::SparseTensorProto*>;

  void set(std::string_view name, Binding binding);

  ConversionState* conversion_;
  GraphTranslator* parent_ = nullptr;
  Kind kind_ = Kind::main;
  ir::Graph* graph_;
  std::string path_;
  /// Null in scopes that follow the scope around them.
  const OpsetImports* own_opsets_ = nullptr;
  /// The graph whose nodes are translated; null in functions.
  const onnx::GraphProto* proto_ = nullptr;
  std::vector<std::string> function_stack_;
  void emit_initializer(Binding& binding, std::string_view name, TensorResult tensor);

  ir::NameTable<Binding> names_;
  /// Outer value to the value of this graph that stands for it. Looked up only: its order means nothing.
  std::map<std::pair<ir::Node*, std::uint32_t>, ir::Value> captured_;
  std::vector<Capture> captures_;
  std::int64_t current_index_ = -1;
};

}  // namespace onnx2ir::frontend
