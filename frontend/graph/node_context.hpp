// The interface of translators: typed inputs and attributes of an ONNX node, and functions to emit IR
// operations. A translator is a free function `Values name_since(NodeContext& node)` that returns the node's
// outputs in order. If it cannot convert the node, it calls node.fail(...), or ir::invalid(...) if the node
// fails in each run; it returns no partial result.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"
#include "frontend/graph/operand.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/opset_imports.hpp"
#include "frontend/reader/tensor_data.hpp"
#include "ir/builder.hpp"
#include "onnx2ir/diagnostic.hpp"
#include "target/target.hpp"

namespace onnx2ir::frontend {

using ir::AttributeList;
using ir::Builder;
using ir::ElementType;
using ir::PartialShape;
using ir::Value;
using target::Fault;

class GraphTranslator;

/// The elements are views on the model's bytes where possible.
using TensorAttribute = TensorValue;

class NodeContext : public Builder {
 public:
  /// `inputs` must outlive the context.
  NodeContext(GraphTranslator& translator, const onnx::NodeProto& proto, std::int64_t opset,
              std::span<const Operand> inputs);

  // The node.
  std::string_view op_type() const { return proto_->op_type(); }
  std::string_view domain() const { return canonical_domain(proto_->domain()); }
  /// The imported version of the node's domain.
  std::int64_t opset() const { return opset_; }
  const onnx::NodeProto& proto() const { return *proto_; }
  /// The releases of OpenVINO that the model is made for: a workaround is emitted only if one of them has its
  /// fault.
  const target::Target& target() const;
  /// Whether quantised operators reproduce the rounding of onnxruntime (Options::quantization).
  bool has_exact_quantization() const;

  // Inputs. Omitted trailing inputs and inputs named "" are absent.
  std::size_t input_count() const { return inputs_.size(); }
  bool has_input(std::size_t index) const { return !is_absent(operand(index)); }
  /// Input `index`; fails if it is absent, a sequence or an optional.
  Value input(std::size_t index) const;
  /// Input `index`; null if it is absent.
  Value optional_input(std::size_t index) const { return has_input(index) ? input(index) : Value{}; }
  /// Input `index` of any kind; an absent tensor if there is no such input.
  const Operand& operand(std::size_t index) const {
    static const Operand kAbsent;
    read_inputs_ = std::max(read_inputs_, index + 1);
    return index < inputs_.size() ? inputs_[index] : kAbsent;
  }
  /// All inputs, also absent ones.
  Operands operands() const {
    read_inputs_ = inputs_.size();
    return {inputs_.begin(), inputs_.end()};
  }
  /// The inputs from `first` on that are present.
  Values inputs(std::size_t first = 0) const;
  /// The first input that is present and that is after all inputs that functions above have asked for.
  std::optional<std::size_t> unread_input() const;
  /// The rank of `value`; fails if it is dynamic.
  std::int64_t rank(Value value) const;
  /// `axis` normalised to [0, rank); fails if it is out of range.
  std::int64_t axis(std::int64_t axis, std::int64_t rank) const;

  // Outputs.
  std::size_t output_count() const { return static_cast<std::size_t>(proto_->output_size()); }
  /// Whether output `index` is named, so that it may be used.
  bool has_output(std::size_t index) const { return !output_name(index).empty(); }
  /// The name of output `index`; empty if it is absent.
  std::string_view output_name(std::size_t index) const;

  /// The rank that the model declares for output `index`; no value if it declares none, or in a function.
  std::optional<std::int64_t> declared_rank(std::size_t index) const;

  // Attributes. If an attribute is absent, functions return `absent`, or fail if that has no value.
  bool has_attribute(std::string_view name) const { return find_attribute(name) != nullptr; }
  /// Null if the node does not have the attribute.
  const onnx::AttributeProto* find_attribute(std::string_view name) const;
  std::int64_t integer_attribute(std::string_view name, std::optional<std::int64_t> absent = {}) const;
  /// Whether an integer is not 0.
  bool flag_attribute(std::string_view name, bool absent = false) const {
    return integer_attribute(name, absent ? 1 : 0) != 0;
  }
  /// An integer that must be above 0.
  std::int64_t positive_attribute(std::string_view name, std::optional<std::int64_t> absent = {}) const;
  double real_attribute(std::string_view name, std::optional<double> absent = {}) const;
  std::string text_attribute(std::string_view name, std::optional<std::string_view> absent = {}) const;
  /// Empty if absent.
  ir::Integers integer_list(std::string_view name) const;
  /// `count` integers, which are `absent` if the list is absent or empty; fails if there are more or fewer.
  ir::Integers integer_list(std::string_view name, std::size_t count, std::int64_t absent) const;
  ir::Numbers real_list(std::string_view name) const;
  ir::CheckedList<std::string> text_list(std::string_view name) const;
  TensorAttribute tensor_attribute(std::string_view name) const;
  const onnx::GraphProto& graph_attribute(std::string_view name) const;
  const onnx::TypeProto& type_attribute(std::string_view name) const;
  /// The attributes that no function above has read.
  std::vector<const onnx::AttributeProto*> unread_attributes() const;
  /// For translators that give the node to another context: what that one has read is read here as well.
  void add_reads_of(const NodeContext& other) {
    read_ |= other.read_;
    read_inputs_ = std::max(read_inputs_, other.read_inputs_);
  }
  /// For translators that give the node to the ONNX library.
  void mark_all_as_read() {
    read_ = ~std::uint64_t{0};
    read_inputs_ = inputs_.size();
  }
  /// The IR type of an ONNX element type number (TensorProto.DataType). Fails if the IR has no such type.
  ElementType element_type(std::int64_t onnx_type) const;
  /// The same for the number in an attribute.
  ElementType element_type_attribute(std::string_view name, ElementType absent) const {
    return has_attribute(name) ? element_type(integer_attribute(name)) : absent;
  }

  // Values known at conversion time.
  /// All elements of an integer or boolean value, if they are known.
  std::optional<ir::Integers> known_integers(Value value) const { return ir::exact_values(value); }
  /// The same for a numeric value.
  std::optional<ir::Numbers> known_numbers(Value value) const { return ir::exact_numbers(value); }
  /// The elements of a value that must be known; fails with a message about `what` otherwise.
  ir::Integers require_integers(Value value, std::string_view what) const;
  ir::Numbers require_numbers(Value value, std::string_view what) const;

  /// Throws Failure (cannot_convert), which is reported with the place of the node, and a hint what the user
  /// can do.
  [[noreturn]] void fail(std::string message, std::string hint = {}) const;
  /// Reports a warning or a remark about the node.
  void warn(DiagnosticCode code, std::string message, Severity severity = Severity::warning);

  /// The translator of the graph that contains the node: for control flow.
  GraphTranslator& translator() const { return *translator_; }

 private:
  const onnx::AttributeProto& get(std::string_view name) const;

  GraphTranslator* translator_;
  const onnx::NodeProto* proto_;
  std::int64_t opset_;
  std::span<const Operand> inputs_;
  mutable std::uint64_t read_ = 0;       ///< bit i: attribute i has been read; later attributes count as read
  mutable std::size_t read_inputs_ = 0;  ///< those below have been asked for
};

}  // namespace onnx2ir::frontend
