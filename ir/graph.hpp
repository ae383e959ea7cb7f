// The graph: nodes of IR operations, the values between them, and the bodies of control-flow nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/enum_set.hpp"
#include "base/small_vector.hpp"
#include "ir/attribute.hpp"
#include "ir/body.hpp"
#include "ir/checked_list.hpp"
#include "ir/constant_data.hpp"
#include "ir/element_type.hpp"
#include "ir/known_values.hpp"
#include "ir/note.hpp"
#include "ir/op_descriptor.hpp"
#include "ir/operation_set.hpp"
#include "ir/partial_shape.hpp"
#include "ir/shared_by_graphs.hpp"

namespace onnx2ir::ir {

class Node;
struct Output;

/// An output of a node. Null if `node` is null.
struct Value {
  Node* node = nullptr;
  std::uint32_t index = 0;

  explicit operator bool() const { return node != nullptr; }
  /// Throws InternalError if the value is null.
  inline Output& output() const;
  inline ElementType type() const;
  inline const PartialShape& shape() const;
  friend bool operator==(const Value&, const Value&) = default;
};
using Values = base::SmallVector<Value, 2>;

/// Throws the InternalError of a null Value.
[[noreturn]] void fail_of_null_value();

/// A use of a value: input `index` of `node`.
struct Use {
  Node* node;
  std::uint32_t index;
  friend bool operator==(const Use&, const Use&) = default;
};

using TensorNames = base::SmallVector<std::string, 1>;

/// Elements in C order as expressions; the flag marks a symbol that was made for this element of this value.
struct ElementSize {
  const SizeExpression* size = nullptr;
  bool is_own_symbol = false;

  friend bool operator==(const ElementSize&, const ElementSize&) = default;
};
using ElementSizes = base::SmallVector<ElementSize, 1>;

/// The type, uses and names of an output. Members are ordered by how often they are accessed: see Node.
struct Output {
  base::SmallVector<Use, 1> uses;
  /// Known elements of a small tensor; null if nothing is known of them.
  std::unique_ptr<const KnownValues> known;
  /// The elements of a small tensor of integers or booleans as expressions; null if they are not tracked.
  std::unique_ptr<const ElementSizes> elements;
  [[no_unique_address]] PartialShape shape;
  ElementType type = ElementType::dynamic;  // here because of the padding after `shape`
  /// The names of the model's inputs and outputs must survive all passes.
  TensorNames names;
};

/// The data of a node besides attributes. Constants are stored inline because they are the most frequent;
/// bodies are larger.
using Payload = std::variant<ConstantData, std::unique_ptr<LoopBody>, std::unique_ptr<IfBranches>>;

/// A node. Created by Graph; its operation never changes. The output type of a Parameter or Const is
/// declared, all others are inferred.
class Node {
 public:
  Node(const OpDescriptor& op, Graph& graph, std::span<const Value> inputs, std::size_t output_count);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();

  const OpDescriptor& op() const { return *op_; }
  bool is(Op operation) const { return op_->id == operation; }
  bool is_one_of(const OperationSet& operations) const { return operations.contains(op_->id); }
  Graph& graph() const { return *graph_; }

  std::span<const Value> inputs() const { return {inputs_.data(), inputs_.size()}; }
  Value input(std::size_t index) const { return inputs_[index]; }
  /// Null if the node has no input `index`.
  Value input_or_null(std::size_t index) const { return index < inputs_.size() ? inputs_[index] : Value{}; }
  void set_input(std::size_t index, Value value);
  /// Appends an input; for control-flow nodes only.
  void add_input(Value value);
  /// Removes input `index`; the caller updates the indices in the payload.
  void remove_input(std::size_t index);

  std::span<Output> outputs() { return {outputs_.data(), outputs_.size()}; }
  std::span<const Output> outputs() const { return {outputs_.data(), outputs_.size()}; }
  Output& output(std::size_t index) { return outputs_[index]; }
  const Output& output(std::size_t index) const { return outputs_[index]; }
  Value value(std::size_t index = 0) { return {this, static_cast<std::uint32_t>(index)}; }
  /// All outputs.
  Values values();
  /// Removes all inputs of a dead node; remove_dead_nodes() will remove the node.
  void remove_inputs();
  /// Appends an output; for control-flow nodes only.
  Value add_output();
  /// Removes output `index`, which must be unused; the caller updates the indices in the payload.
  void remove_output(std::size_t index);
  bool has_uses() const {
    for (const Output& output : outputs_) {
      if (!output.uses.empty()) return true;
    }
    return false;
  }

  /// All attributes, in the order of the descriptor.
  std::span<const Attribute> attributes() const {
    return attributes_ == nullptr ? std::span<const Attribute>{} : *attributes_;
  }
  /// The value of an attribute; null if it is optional and absent.
  const AttributeValue* find_attribute(std::string_view attribute_name) const;
  /// The value of an attribute of this type. Throws base::InternalError if the node has no such attribute.
  /// The views of ir/views have these as functions: prefer SoftMaxView(node).axis() to node.integer("axis").
  bool boolean(AttributeName attribute) const { return value_of<bool>(attribute); }
  std::int64_t integer(AttributeName attribute) const { return value_of<std::int64_t>(attribute); }
  double real(AttributeName attribute) const { return value_of<double>(attribute); }
  const std::string& text(AttributeName attribute) const { return value_of<std::string>(attribute); }
  CheckedView<std::int64_t> integers(AttributeName attribute) const {
    return CheckedView<std::int64_t>(value_of<std::vector<std::int64_t>>(attribute));
  }
  const std::vector<double>& reals(AttributeName attribute) const {
    return value_of<std::vector<double>>(attribute);
  }
  const std::vector<std::string>& texts(AttributeName attribute) const {
    return value_of<std::vector<std::string>>(attribute);
  }
  ElementType type(AttributeName attribute) const { return value_of<ElementType>(attribute); }
  bool has_attribute(AttributeName attribute) const { return find_attribute(attribute.text()) != nullptr; }
  void set_attribute(Attribute attribute);

  /// Whether the outputs are computed from constants alone, in any number of steps, without a loop, a branch
  /// or a random number. Kept up to date by all functions that change inputs.
  bool is_computed_from_constants() const { return variable_inputs_ == 0; }

  bool has_payload() const { return payload_ != nullptr; }
  void set_payload(Payload payload);
  void set_payload(LoopBody body);
  void set_payload(IfBranches branches);
  /// Moves the payload out of the node.
  Payload take_payload();
  ConstantData* constant() { return std::get_if<ConstantData>(payload_.get()); }
  const ConstantData* constant() const { return std::get_if<ConstantData>(payload_.get()); }
  /// The body of a Loop, and the branches of an If; null for all other nodes. Passes use LoopView and IfView.
  LoopBody* loop() { return body<LoopBody>(); }
  const LoopBody* loop() const { return body<LoopBody>(); }
  IfBranches* branches() { return body<IfBranches>(); }
  const IfBranches* branches() const { return body<IfBranches>(); }

 private:
  friend class Graph;
  friend void move_uses(std::span<const Use> uses, Value from, Value to);
  /// Counts `added` more variable inputs, or fewer if it is negative, of this node, and updates all that
  /// depend on it. Constant time unless is_computed_from_constants() changes.
  void add_variable_inputs(int added);
  template <typename T>
  const T& value_of(AttributeName attribute) const;
  template <typename Body>
  Body* body() const {
    const auto* const held = std::get_if<std::unique_ptr<Body>>(payload_.get());
    return held == nullptr ? nullptr : held->get();
  }

  // Ordered by access frequency: a walk over millions of nodes that reads only operations and uses touches
  // one cache line of each.
  const OpDescriptor* op_;
  std::unique_ptr<Payload> payload_;  ///< null for nearly all nodes
  base::SmallVector<Output, 1> outputs_;
  Values inputs_;
  Graph* graph_;

 public:
  /// Scratch space for a single pass or writer; not preserved between passes.
  std::int64_t scratch = 0;
  /// Whether inputs, attributes or the payload have changed since the outputs were inferred, or the types,
  /// shapes or values of inputs: see mark_stale().
  bool is_stale = true;

 private:
  std::uint32_t variable_inputs_ = 0;  ///< count_variable_inputs(*this)

 public:
  /// What the code that emitted the node knows of it. Clones have the same notes and marks.
  NoteSet notes;
  /// What the XML tells OpenVINO about the node.
  MarkSet marks;
  /// Who emitted the node: 0 the front end or a reader; the others are numbers of passes/emitters.hpp. For
  /// people only: it is not in the XML. See ir/origins.hpp.
  std::uint16_t emitter = 0;
  /// The layer's name; made unique in its graph when the IR is written.
  std::string name;

 private:
  std::unique_ptr<std::vector<Attribute>> attributes_;  ///< null for most nodes
};

/// How many inputs are not computed from constants; 1 for nodes that never are: random numbers, control flow,
/// and nodes without inputs other than constants.
std::uint32_t count_variable_inputs(const Node& node);
inline Output& Value::output() const {
  if (node == nullptr) [[unlikely]]
    fail_of_null_value();
  return node->output(index);
}
inline ElementType Value::type() const {
  return output().type;
}
inline const PartialShape& Value::shape() const {
  return output().shape;
}

inline bool is_computed_from_constants(Value value) {
  return value.node->is_computed_from_constants();
}

/// Returns the memory of a node to the storage of its graph.
struct NodeDeleter {
  void operator()(Node* node) const;
};
using NodePointer = std::unique_ptr<Node, NodeDeleter>;

/// Owns nodes. They are in topological order when emitted; a pass that breaks the order calls sort().
class Graph {
 public:
  Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  /// An empty graph for a body of one of this graph's nodes.
  std::unique_ptr<Graph> make_body() const;
  /// The constants of the model, whose bytes are shared.
  ConstantPool& constants() const { return shared_->constants; }
  /// The expressions of the sizes of the model.
  SizeTable& sizes() const { return shared_->sizes; }
  /// Sets Node::emitter for the nodes that are added from now on to any graph of the model.
  void set_emitter(std::uint16_t emitter);
  /// Makes room for `nodes` nodes in all.
  void reserve(std::size_t nodes);
  /// Appends a node without attributes, types and checks. Use Builder, which adds all of them.
  Node& add(const OpDescriptor& op, std::span<const Value> inputs, std::size_t output_count);

  const std::vector<NodePointer>& nodes() const { return nodes_; }
  /// Parameters and Results in the order of the model's inputs and outputs.
  const std::vector<Node*>& parameters() const { return parameters_; }
  const std::vector<Node*>& results() const { return results_; }
  /// The nodes that have bodies, in the order of nodes(): large graphs have few of them.
  const std::vector<Node*>& control_flow() const { return control_flow_; }
  /// All bodies of this graph's nodes, at any depth, and this graph; a body comes before the graph that
  /// contains it. Only for the main graph of a model.
  std::vector<Graph*> with_bodies();
  /// False if no node of these operations has ever been added.
  bool may_hold(const OperationSet& operations) const { return operations_.intersects(operations); }
  /// The same for this graph, the graphs around it, and all bodies.
  bool model_may_hold(const OperationSet& operations) const {
    return shared_->operations.intersects(operations);
  }
  /// False if no value of `type` has ever been inferred.
  bool may_hold(ElementType type) const { return types_.contains(type); }

  /// Removes unused nodes, users first; Parameters and Results are kept. Returns the number of removed nodes.
  std::size_t remove_dead_nodes();
  /// Removes `node`, whose outputs must be unused. Fast for recently added nodes.
  void remove(Node& node);
  /// Removes nodes whose outputs are used by these nodes only, in one pass: linear in the size of the graph.
  void remove(std::span<Node* const> nodes);
  /// How often remove() has searched the list of nodes (for tests).
  std::size_t removals() const { return removals_; }
  /// Restores topological order; stable and linear. Throws base::InternalError if there is a cycle.
  void sort();

  std::string name;
  /// Set during inference if an enclosing loop, at any depth, will infer its body again with wider shapes of
  /// its states.
  bool is_inferred_again = false;
  /// Whether nodes may have become stale since infer_stale(). A node is created stale.
  bool may_have_stale_nodes = true;
  /// Whether outputs may have become unused since remove_dead_nodes(). Those of a new node are unused.
  bool may_have_dead_nodes = true;
  /// Whether nodes may have got inputs that come after them since sort().
  bool may_be_unsorted = false;

 private:
  friend class Node;
  friend struct NodeDeleter;
  friend void set_output(Node& node, std::size_t index, ElementType type, PartialShape shape);
  explicit Graph(const Graph* outer);
  /// Whether each node follows its inputs. Numbers the nodes in `scratch`.
  bool is_sorted() const;
  /// Removes nodes that will be deleted from the lists below, and their uses of other nodes.
  template <typename IsRemoved>
  void forget(std::span<Node* const> nodes, IsRemoved is_removed);

  std::shared_ptr<SharedByGraphs> shared_;
  std::vector<NodePointer> nodes_;
  std::vector<Node*> parameters_;
  std::vector<Node*> results_;
  std::vector<Node*> control_flow_;
  std::size_t removals_ = 0;
  OperationSet operations_;
  base::EnumSet<ElementType, 64> types_;
};

/// Marks a node of which something has changed that inference reads. All functions that change such things
/// do so. Inference reads the inputs of a node, and through Concat and Equal theirs.
void mark_stale(Node& node);
/// The same for the nodes that read an output: its type, shape or values have changed.
void mark_readers_stale(Output& output);
void mark_readers_stale(Node& node);

/// Replaces all uses of `from` by `to`; tensor names move to `to`.
void replace_all_uses(Value from, Value to);
/// The same for all outputs of `from`.
void replace_all_uses(Node& from, std::span<const Value> to);
/// The same, except for the inputs of `reader`, which computes `to` from `from`.
void replace_uses_except(Value from, Value to, const Node& reader);
/// The same for `uses` only, for example the uses that `from` had before `to` was computed from it.
void replace_uses(std::span<const Use> uses, Value from, Value to);
/// The same, but tensor names stay.
void move_uses(std::span<const Use> uses, Value from, Value to);

/// Makes the Results that read `from` read `to`; other uses stay. Tensor names move to `to`.
void replace_results(Value from, Value to);

/// The bodies of `node`; empty for nodes without control flow.
base::SmallVector<Body*, 2> bodies(Node& node);

/// The layouts of tensors, as OpenVINO writes them: "[N,C,H,W]". The keys are "tensor NAME", and for tensors
/// without names "input NAME" or "output NAME" with the name of the Parameter or Result.
using Layouts = std::map<std::string, std::string, std::less<>>;

/// A whole model.
struct Model {
  std::string name;
  Graph graph;
  /// Properties (name, value) with which the runtime compiles the model, unless the program sets others.
  std::vector<std::pair<std::string, std::string>> runtime_options;
  /// How the model was made: (name, value), for example the version of the compiler. In the XML, but not in
  /// text IR. The names are XML names.
  std::vector<std::pair<std::string, std::string>> provenance;
  Layouts layouts;  ///< of tensors of `graph`
  /// What other programs wrote about the model in an IR: elements of XML. Not in text IR.
  std::string other_information;
  /// The files that the model was read from, which must not be overwritten.
  std::vector<base::Input> inputs;
};

}  // namespace onnx2ir::ir
