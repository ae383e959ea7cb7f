// Emits nodes and checks and infers them at once. For Loop and If see ir/control_flow.hpp.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "ir/graph.hpp"
#include "ir/op_descriptor.hpp"

namespace onnx2ir::ir {

/// A list as the argument of a call: a range in contiguous memory, or elements in braces.
template <typename T>
class ListArgument : public std::span<const T> {
 public:
  using std::span<const T>::span;  // NOLINT(modernize-use-equals-default): inherits constructors
  // NOLINTBEGIN(google-explicit-constructor)
  ListArgument(std::span<const T> list) : std::span<const T>(list) {}
  ListArgument(std::initializer_list<T> list) : std::span<const T>(list.begin(), list.size()) {}
  // NOLINTEND(google-explicit-constructor)
};

class Builder {
 public:
  explicit Builder(Graph& graph) : graph_(&graph) {}

  Graph& graph() const { return *graph_; }
  /// The name given to the nodes emitted from now on.
  void set_name(std::string name) { name_ = std::move(name); }
  const std::string& name() const { return name_; }

  /// Emits a node with one output. Throws Failure (invalid_node) if types, shapes or values do not fit.
  ///     builder.op(ops::SoftMax, {x}, {{"axis", 1}})
  Value op(Op op, ListArgument<Value> inputs, ListArgument<Attribute> attributes = {});
  /// Emits a node with the number of outputs its operation has, or with `output_count`.
  Node& node(Op op, ListArgument<Value> inputs, ListArgument<Attribute> attributes = {},
             std::size_t output_count = 1);

  /// A copy of `node`, possibly in another graph, with other inputs. It has the same name and attributes; a
  /// copy of a constant shares its bytes. Not for nodes with bodies: see move_control_flow().
  Node& clone(const Node& node, std::span<const Value> inputs = {});

  /// Constants. Integers are i64 unless a type is given, in a vector or a scalar; `like` uses the type of
  /// another value.
  Value constant(ElementType type, std::span<const std::int64_t> shape, ConstantData data);
  Value integer(std::int64_t value, ElementType type = ElementType::i64);
  Value integers(ListArgument<std::int64_t> values, ElementType type = ElementType::i64);
  /// `values` converted to `type` (any numeric type or boolean), rounded to nearest even.
  Value numbers(std::span<const double> values, ListArgument<std::int64_t> shape, ElementType type);
  /// The same in a vector.
  Value numbers(std::span<const double> values, ElementType type);
  /// A scalar of `type`.
  Value number(double value, ElementType type);
  Value number_like(double value, Value like) { return number(value, like.type()); }
  Value boolean(bool value);

  Value parameter(ElementType type, const PartialShape& shape);
  /// A Parameter that captures `outer`, a value of the graph around this one: it has the same sizes.
  Value captured(Value outer);
  Node& result(Value value);

 private:
  /// A node whose output type is declared by the caller, not inferred.
  Node& declared(Op op, ElementType type, const PartialShape& shape);

  Graph* graph_;
  std::string name_;
};

/// A builder of nodes in the graph of `node`, with its name.
Builder builder_beside(const Node& node);

/// Encodes numbers as elements of `type`: rounds to nearest even, saturates integers. Throws Failure
/// (invalid_node) if `type` is not numeric.
ConstantData encode_numbers(std::span<const double> values, ElementType type);
/// Encodes integers exactly; throws Failure (invalid_node) if one does not fit into `type`.
ConstantData encode_integers(std::span<const std::int64_t> values, ElementType type);
/// The elements of a constant as numbers; no value if the type is not numeric (string, dynamic).
std::optional<std::vector<double>> decode_numbers(ElementType type, std::span<const std::byte> bytes,
                                                  std::size_t count);
std::optional<std::vector<std::int64_t>> decode_integers(ElementType type, std::span<const std::byte> bytes,
                                                         std::size_t count);
/// The element of an integer or boolean constant that has exactly one.
std::optional<std::int64_t> decode_integer(ElementType type, std::span<const std::byte> bytes);
/// The same for a number; no value if the type is not numeric.
std::optional<double> decode_number(ElementType type, std::span<const std::byte> bytes);

}  // namespace onnx2ir::ir
