#include "ir/builder.hpp"

#include "base/memory_budget.hpp"
#include "ir/inference.hpp"
#include "ir/shared_by_graphs.hpp"
#include "ir/size_rules.hpp"

namespace onnx2ir::ir {
namespace {

void check_inputs(const OpDescriptor& op, std::span<const Value> inputs, const Graph& graph) {
  if (const auto problem = input_problem(op, inputs)) throw base::InternalError(*problem);
  for (const Value& input : inputs) {
    if (&input.node->graph() != &graph)
      throw base::InternalError(std::string(op.name) + " has an input from another graph");
  }
}

/// Names may be long, and copied for each iteration of an unrolled loop.
void give_name(Node& node, const std::string& name) {
  constexpr std::size_t kShort = 64;  // counted with the node
  if (name.size() > kShort) base::charge_permanently(name.size());
  node.name = name;
}

/// The bytes of texts and lists in an attribute.
std::size_t size_of(const AttributeValue& value) {
  if (const auto* const text = std::get_if<std::string>(&value)) return text->size();
  if (const auto* const list = std::get_if<std::vector<std::int64_t>>(&value))
    return list->size() * sizeof(std::int64_t);
  if (const auto* const reals = std::get_if<std::vector<double>>(&value))
    return reals->size() * sizeof(double);
  std::size_t size = 0;
  if (const auto* const texts = std::get_if<std::vector<std::string>>(&value)) {
    for (const std::string& text : *texts) size += sizeof(std::string) + text.size();
  }
  return size;
}

void set_attributes(Node& node, std::span<const Attribute> attributes) {
  constexpr std::size_t kSmall = 64;  // counted with the node
  for (const Attribute& attribute : attributes) {
    if (const std::size_t size = size_of(attribute.value); size > kSmall) base::charge_permanently(size);
    node.set_attribute(attribute);
  }
  if (const auto missing = missing_attributes(node.op(), node.attributes()); !missing.empty())
    throw base::InternalError(std::string(node.op().name) + " needs attribute " +
                              std::string(missing.front()));
}

}  // namespace

Node& Builder::node(Op op, ListArgument<Value> inputs, ListArgument<Attribute> attributes,
                    std::size_t output_count) {
  const OpDescriptor& descriptor = find_op(op);
  check_inputs(descriptor, inputs, *graph_);
  const std::size_t outputs = descriptor.outputs == OpDescriptor::kVariadic
                                  ? output_count
                                  : static_cast<std::size_t>(descriptor.outputs);
  Node& node = graph_->add(descriptor, inputs, outputs);
  if (!name_.empty()) give_name(node, name_);
  try {
    set_attributes(node, attributes);
    infer(node);
  } catch (...) {
    graph_->remove(node);
    throw;
  }
  return node;
}

Value Builder::op(Op op, ListArgument<Value> inputs, ListArgument<Attribute> attributes) {
  return node(op, inputs, attributes).value();
}

Node& Builder::declared(Op op, ElementType type, const PartialShape& shape) {
  Node& node = graph_->add(find_op(op), {}, 1);
  if (!name_.empty()) give_name(node, name_);
  // The value has its own sizes, also if the shape is that of another value.
  set_output(node, 0, type, shape.without_expressions());
  return node;
}

Node& Builder::clone(const Node& node, std::span<const Value> inputs) {
  const bool is_constant = node.constant() != nullptr;
  const Output& first = node.output(0);
  Node& copy = is_constant ? declared(ops::Const, first.type, first.shape)
                           : this->node(node.op().id, inputs, node.attributes(), node.outputs().size());
  if (is_constant) copy.set_payload(*node.constant());
  give_name(copy, node.name);
  copy.marks = node.marks;
  copy.notes = node.notes;
  return copy;
}

Value Builder::constant(ElementType type, std::span<const std::int64_t> shape, ConstantData data) {
  const PartialShape sizes(shape);
  if (!sizes.is_static()) invalid("a constant cannot have the shape " + to_string(sizes));
  const auto count = static_cast<std::uint64_t>(*sizes.element_count());
  if (info(type).bits != 0 && data.written_size() != packed_size(type, count))
    invalid("a constant of shape " + to_string(sizes) + " cannot have " +
            std::to_string(data.written_size()) + " bytes");
  Node& constant = declared(ops::Const, type, sizes);
  constant.set_payload(graph_->constants().share(std::move(data)));
  return constant.value();
}

Value Builder::integer(std::int64_t value, ElementType type) {
  return constant(type, {}, encode_integers({&value, 1}, type));
}

Value Builder::integers(ListArgument<std::int64_t> values, ElementType type) {
  const auto count = static_cast<std::int64_t>(values.size());
  return constant(type, {&count, 1}, encode_integers(values, type));
}

Value Builder::numbers(std::span<const double> values, ListArgument<std::int64_t> shape, ElementType type) {
  return constant(type, shape, encode_numbers(values, type));
}

Value Builder::numbers(std::span<const double> values, ElementType type) {
  return numbers(values, {static_cast<std::int64_t>(values.size())}, type);
}

Value Builder::number(double value, ElementType type) {
  return numbers({&value, 1}, {}, type);
}

Value Builder::boolean(bool value) {
  return integer(value ? 1 : 0, ElementType::boolean);
}

Value Builder::captured(Value outer) {
  Node& node = declared(ops::Parameter, outer.type(), outer.shape());
  copy_sizes(outer, node);
  return node.value();
}

Value Builder::parameter(ElementType type, const PartialShape& shape) {
  return declared(ops::Parameter, type, shape).value();
}

Node& Builder::result(Value value) {
  return node(ops::Result, {value});
}

Builder builder_beside(const Node& node) {
  Builder builder(node.graph());
  builder.set_name(node.name);
  return builder;
}

}  // namespace onnx2ir::ir
