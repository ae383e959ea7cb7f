// Translates the nodes of an ONNX graph or of a function body into an IR graph.
//
// A translator is a lexical scope: it holds the names of its graph and looks up others in the enclosing
// scope. A value of an outer graph is captured: it becomes a Parameter of the body, and of every body in
// between. Constants are cloned instead.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "base/name_table.hpp"
#include "frontend/graph/attempt.hpp"
#include "frontend/graph/name_index.hpp"
#include "frontend/graph/node_context.hpp"
#include "frontend/graph/node_order.hpp"
#include "ir/graph.hpp"

namespace onnx2ir::frontend {

struct ExtensionTranslator;
struct OperatorRule;

/// A body of a node, for which a scope is made.
struct BodySite {
  std::string path;  ///< for diagnostics: "main/loop_3.body"
  Occurrence occurrence;
};

/// A captured value, and the body's Parameter for it.
struct Capture {
  ir::Value outer;
  ir::Node* parameter;
};

class GraphTranslator {
 public:
  enum class Kind : std::uint8_t {
    main,     ///< the model's graph
    body,     ///< a separate graph in a Loop or If
    inlined,  ///< a body that is always executed: emitted into the enclosing graph, whose names it sees
    function  ///< a function body: emitted into the enclosing graph, in general sees only the function's
              ///< inputs
  };

  /// The main graph.
  GraphTranslator(Attempt& attempt, ir::Graph& graph);
  /// A scope inside `parent`, which must outlive it. For inlined scopes and functions, `graph` is the
  /// parent's graph.
  GraphTranslator(GraphTranslator& parent, Kind kind, ir::Graph& graph, BodySite site);
  GraphTranslator(const GraphTranslator&) = delete;
  GraphTranslator& operator=(const GraphTranslator&) = delete;

  ir::Graph& graph() const { return *graph_; }
  Attempt& attempt() const { return *attempt_; }
  const DiagnosticSink& sink() const { return *attempt_->sink; }
  /// Reports a diagnostic about this graph.
  void report(Diagnostic diagnostic) const { attempt_->report(std::move(diagnostic), occurrence_); }
  /// Reports an error about this graph as a whole.
  void report(Problem problem) const;
  const std::string& path() const { return path_; }
  Kind kind() const { return kind_; }
  /// Whether names in this graph are names of tensors in the IR. Names of functions and of inlined branches
  /// are not unique in the graph that they become a part of.
  bool names_tensors() const { return kind_ == Kind::main || kind_ == Kind::body; }
  /// The enclosing scope; null for the main graph.
  const GraphTranslator* parent() const { return parent_; }
  /// The graph that is translated; null in functions.
  const onnx::GraphProto* proto() const { return proto_; }
  /// The node of the enclosing graph that contains this scope; null for the main graph and inside functions.
  const onnx::NodeProto* owner() const;

  /// Binds `name` to a value; in the main graph, the name also becomes a tensor name of the value.
  void bind(std::string_view name, Operand operand);
  /// Binds a name again; tensor names do not change.
  void rebind(std::string_view name, Operand operand) { set(name, std::move(operand)); }
  /// Marks `name` as having no value because its node could not be translated, or because it is an optional
  /// output that the translator of its node did not return (`is_omitted`): its consumers are skipped.
  void bind_unavailable(std::string_view name, bool is_omitted = false);
  /// Registers the initializers of `proto`; they become constants at their first use.
  void add_initializers(const onnx::GraphProto& proto);

  struct Lookup {
    Operand operand;
    enum class Status : std::uint8_t { found, unavailable, unknown } status;
  };
  /// The binding of `name`: a value of this scope's IR graph. Captures values of enclosing graphs.
  Lookup find(const base::HashedName& name);

  /// Captures `outer`, a value of the enclosing graph, and returns the value in this body's graph.
  Operand capture(const Operand& outer);

  /// Whether names that are not bound here are those of the enclosing scope.
  bool sees_parent() const { return parent_ != nullptr && (kind_ != Kind::function || sees_caller_); }

  /// Translates `nodes`, sorted if necessary. Reports nodes that cannot be translated; false if there are
  /// any.
  bool translate(const NodeList& nodes);
  /// The same for a graph with initializers whose inputs the caller has bound. Appends its outputs to
  /// `outputs`.
  bool translate(const onnx::GraphProto& proto, Operands& outputs);

  /// The captured values of this body, in order of first use. Only for Kind::body.
  const std::vector<Capture>& captures() const { return captures_; }

  /// Translates `node`, an operator of another domain, as the function body of ONNX's operator with the same
  /// name in version `opset`. Returns false if a node of it could not be translated, or if it has no body.
  bool emit_onnx_body(const onnx::NodeProto& node, std::int64_t opset, const Operands& inputs,
                      Operands& outputs);

  /// The imported version of `domain`; no value if it is not imported.
  std::optional<std::int64_t> opset(std::string_view domain) const;
  /// The rank that the model declares (graph outputs, value_info) for the tensor `name` of this graph, or for
  /// a value computed from it by operators that keep the rank.
  std::optional<std::int64_t> declared_rank(std::string_view name) const;
  /// The type that the model declares (graph outputs, value_info) for the tensor `name` of this graph or
  /// function; null if it declares none.
  const onnx::TypeProto* declared_type(const std::string& name) const;
  /// Whether `name` is an output of this graph; false in functions.
  bool is_output(std::string_view name) const;
  /// The names of this graph, which must not be a function.
  const NameIndex& names() const;
  /// find_values_not_required_scalar() of this graph, which must not be a function.
  const std::unordered_set<std::string_view>& values_not_required_scalar() const;
  /// The row of the operator table for `node` in this graph; null if it has none, or if the caller or the
  /// model replaces the operator.
  const TranslatorRow* row_of(const onnx::NodeProto& node) const;
  /// Whether `node` of this graph is the ONNX operator `name`. False if the caller or the model replaces it.
  bool is_onnx(const onnx::NodeProto& node, std::string_view name) const;
  /// The place of node `index` of this graph.
  Place place(const onnx::NodeProto& node, std::int64_t index) const;
  /// The index of the current node, for diagnostics of nested scopes.
  std::int64_t current_index() const { return current_index_; }
  /// The current node.
  Occurrence current_node() const { return attempt_->occurrences->node(occurrence_, current_index_); }
  /// The graph or body that this scope is emitted into: either all of its nodes run, or none.
  Occurrence executed_graph() const;
  /// Which of two results of different rank the current node has in this attempt: `preferred`, unless the
  /// attempt has chosen the other one. No value if it may not choose: frontend/graph/branch_choice.hpp.
  std::optional<bool> choose_rank(bool preferred) const;
  /// The body of `node`, the current node, in `attribute`; for an unrolled loop, in one iteration.
  BodySite body_of(const onnx::NodeProto& node, std::string_view attribute,
                   std::int64_t iteration = Occurrences::kNoIteration) const;

 private:
  /// The binding of a name without a value.
  struct Unavailable {
    bool is_omitted = false;  ///< as in bind_unavailable()
  };

  /// Notes that `operand`, a value of this graph, does not have the rank that the graph declares for `name`.
  void note_wrong_rank(std::string_view name, const Operand& operand) const;
  void prefetch_names(const onnx::NodeProto& node) const;
  /// The inputs of a node, without absent ones at the end.
  struct NodeInputs {
    Operands operands;
    bool are_available = true;  ///< none is the output of a node that could not be translated
    bool are_defined = true;
  };
  /// Reports names that are not defined.
  NodeInputs find_inputs(const onnx::NodeProto& node, std::int64_t index);
  /// emit() with names for the new nodes. Reports a failure; false if there is one.
  bool emit_or_report(const onnx::NodeProto& node, std::int64_t index, std::int64_t opset,
                      const Operands& inputs, Operands& outputs);
  void bind_outputs(const onnx::NodeProto& node, Operands& outputs, bool translated);
  bool translate_node(const onnx::NodeProto& node, std::int64_t index);
  void name_nodes(const onnx::NodeProto& node, const Operands& outputs, std::size_t first);
  /// Translates the node and appends its outputs to `outputs`; false if a node inside it could not be
  /// translated.
  bool emit(const onnx::NodeProto& node, std::int64_t opset, const Operands& inputs, Operands& outputs);
  /// The input types of the schema of the node's operator, which has this row.
  std::span<const InputType> schema_inputs(const TranslatorRow& row, const NodeContext& node);
  /// The caller's rule for the node, and the translator of a library; null if none fits.
  const OperatorRule* find_rule(const onnx::NodeProto& node, std::int64_t opset) const;
  const ExtensionTranslator* find_extension(const onnx::NodeProto& node, std::int64_t opset) const;
  /// Whether a rule, a library or a function of the model converts `node` instead of the table.
  bool is_replaced(const onnx::NodeProto& node, std::int64_t opset) const;
  FunctionBody bound_function(const onnx::FunctionProto& function, const onnx::NodeProto& node);
  /// Counts nodes that a function call adds; the node is an error if there are too many.
  void count_function_nodes(std::uint64_t nodes);
  [[noreturn]] void fail_too_many_nodes();
  bool emit_function(const FunctionBody& body, const onnx::NodeProto& call, const Operands& inputs,
                     Operands& outputs);
  void report(const onnx::NodeProto& node, std::int64_t index, Problem problem) const;
  /// Reports the unsupported operators in a skipped node and in its bodies, so that one conversion reports
  /// all of them.
  void report_unsupported(const onnx::NodeProto& node, std::int64_t index, std::string_view path);
  std::shared_ptr<const Sequence> capture_sequence(const std::shared_ptr<const Sequence>& outer);
  ir::Value capture_tensor(ir::Value outer);

  /// The binding of a name; may be a tensor that is not emitted yet.
  using Binding =
      std::variant<Operand, Unavailable, const onnx::TensorProto*, const onnx::SparseTensorProto*>;

  void set(std::string_view name, Binding binding);
  void emit_initializer(Binding& binding, std::string_view name, TensorResult tensor);

  Attempt* attempt_;
  GraphTranslator* parent_ = nullptr;
  Kind kind_ = Kind::main;
  /// Whether this is a function body whose graphs use names of the caller: those of SequenceMap.
  bool sees_caller_ = false;
  ir::Graph* graph_;
  std::string path_;
  Occurrence occurrence_ = Occurrences::kModel;
  /// Null in scopes that use the imports of the enclosing scope.
  const OpsetImports* own_opsets_ = nullptr;
  /// The graph that is translated; null in functions.
  const onnx::GraphProto* proto_ = nullptr;
  /// The function that is translated, and its call; null in graphs.
  const onnx::FunctionProto* function_ = nullptr;
  const onnx::NodeProto* call_ = nullptr;
  /// Created by the first declared_type(). Only used for look-ups, so that the order does not matter.
  mutable std::optional<std::unordered_map<std::string_view, const onnx::TypeProto*>> declared_types_;
  /// The answers of declared_rank(). Only used for look-ups.
  mutable std::unordered_map<std::string, std::optional<std::int64_t>> declared_ranks_;
  /// Created by the first names().
  mutable std::optional<NameIndex> name_index_;
  /// Created by the first values_not_required_scalar(). Only used for look-ups.
  mutable std::optional<std::unordered_set<std::string_view>> values_not_required_scalar_;
  std::vector<std::string> function_stack_;

  base::NameTable<Binding> names_;
  /// Outer values and the values of this graph that capture them. Only used for look-ups, so that the order
  /// does not matter.
  std::map<std::pair<ir::Node*, std::uint32_t>, ir::Value> captured_;
  /// The same for sequences, whose lists can be long.
  std::map<std::shared_ptr<const Sequence>, std::shared_ptr<const Sequence>> captured_sequences_;
  std::vector<Capture> captures_;
  std::int64_t current_index_ = -1;
};

}  // namespace onnx2ir::frontend
