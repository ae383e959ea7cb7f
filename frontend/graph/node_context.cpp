#include "frontend/graph/node_context.hpp"

#include <algorithm>
#include <utility>

#include "frontend/graph/graph_translator.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/tensor_types.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr int kRecordedAttributes = 64;

// An attribute of another type is an error, not its default. Reading an integer as a number and a single
// value as a list of one is unambiguous; OpenVINO's front end does so too. The reader has checked the
// attributes of operators with a schema.

using Type = onnx::AttributeProto;

[[noreturn]] void fail_type(const NodeContext& node, const onnx::AttributeProto& attribute,
                            std::string_view expected) {
  node.fail("attribute '" + attribute.name() + "' must be " + std::string(expected));
}

std::int64_t integer_of(const NodeContext& node, const onnx::AttributeProto& attribute) {
  if (attribute.type() != Type::INT) fail_type(node, attribute, "an integer");
  return attribute.i();
}

double real_of(const NodeContext& node, const onnx::AttributeProto& attribute) {
  if (attribute.type() == Type::INT) return static_cast<double>(attribute.i());
  if (attribute.type() != Type::FLOAT) fail_type(node, attribute, "a number");
  return static_cast<double>(attribute.f());
}

const std::string& text_of(const NodeContext& node, const onnx::AttributeProto& attribute) {
  if (attribute.type() != Type::STRING) fail_type(node, attribute, "a string");
  return attribute.s();
}

}  // namespace

NodeContext::NodeContext(GraphTranslator& translator, const onnx::NodeProto& proto, std::int64_t opset,
                         std::span<const Operand> inputs)
    : Builder(translator.graph()), translator_(&translator), proto_(&proto), opset_(opset), inputs_(inputs) {}

const target::Target& NodeContext::target() const {
  return *translator_->attempt().input->target;
}

bool NodeContext::has_exact_quantization() const {
  return translator_->attempt().input->options->quantization == Quantization::exact;
}

Value NodeContext::input(std::size_t index) const {
  if (!has_input(index)) fail("input " + std::to_string(index) + " is missing");
  if (const Value value = as_tensor(inputs_[index])) return value;
  fail("input " + std::to_string(index) + " is not a tensor, but a " + to_string(type_of(inputs_[index])));
}

Values NodeContext::inputs(std::size_t first) const {
  Values present;
  for (std::size_t i = first; i < inputs_.size(); ++i) {
    if (has_input(i)) present.push_back(input(i));
  }
  return present;
}

std::optional<std::size_t> NodeContext::unread_input() const {
  for (std::size_t i = read_inputs_; i < inputs_.size(); ++i) {
    if (!is_absent(inputs_[i])) return i;
  }
  return std::nullopt;
}

std::int64_t NodeContext::rank(Value value) const {
  if (!value.shape().has_rank()) {
    ir::fail_unknown_rank("the rank of one of its inputs is not known");
  }
  return static_cast<std::int64_t>(value.shape().rank());
}

std::int64_t NodeContext::axis(std::int64_t axis, std::int64_t rank) const {
  if (axis < -rank || axis >= rank) {
    fail("axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank));
  }
  return axis < 0 ? axis + rank : axis;
}

std::string_view NodeContext::output_name(std::size_t index) const {
  return index < output_count() ? std::string_view(proto_->output(static_cast<int>(index)))
                                : std::string_view();
}

std::optional<std::int64_t> NodeContext::declared_rank(std::size_t index) const {
  if (!has_output(index)) return std::nullopt;
  return translator_->declared_rank(proto_->output(static_cast<int>(index)));
}

const onnx::AttributeProto* NodeContext::find_attribute(std::string_view name) const {
  for (int i = 0; i < proto_->attribute_size(); ++i) {
    if (proto_->attribute(i).name() != name) continue;
    if (i < kRecordedAttributes) read_ |= std::uint64_t{1} << i;
    return &proto_->attribute(i);
  }
  return nullptr;
}

std::vector<const onnx::AttributeProto*> NodeContext::unread_attributes() const {
  std::vector<const onnx::AttributeProto*> unread;
  for (int i = 0; i < std::min(proto_->attribute_size(), kRecordedAttributes); ++i) {
    if ((read_ >> i & 1) == 0) unread.push_back(&proto_->attribute(i));
  }
  return unread;
}

const onnx::AttributeProto& NodeContext::get(std::string_view name) const {
  if (const onnx::AttributeProto* attribute = find_attribute(name)) return *attribute;
  fail("attribute '" + std::string(name) + "' is missing");
}

std::int64_t NodeContext::integer_attribute(std::string_view name, std::optional<std::int64_t> absent) const {
  return absent && !has_attribute(name) ? *absent : integer_of(*this, get(name));
}
std::int64_t NodeContext::positive_attribute(std::string_view name,
                                             std::optional<std::int64_t> absent) const {
  const std::int64_t value = integer_attribute(name, absent);
  if (value < 1) fail("attribute '" + std::string(name) + "' must be positive");
  return value;
}
double NodeContext::real_attribute(std::string_view name, std::optional<double> absent) const {
  return absent && !has_attribute(name) ? *absent : real_of(*this, get(name));
}
std::string NodeContext::text_attribute(std::string_view name, std::optional<std::string_view> absent) const {
  return absent && !has_attribute(name) ? std::string(*absent) : text_of(*this, get(name));
}

ir::Integers NodeContext::integer_list(std::string_view name) const {
  const auto* attribute = find_attribute(name);
  if (attribute == nullptr) return {};
  if (attribute->type() == Type::INT) return {attribute->i()};
  if (attribute->type() != Type::INTS) fail_type(*this, *attribute, "a list of integers");
  return {attribute->ints().begin(), attribute->ints().end()};
}
ir::Integers NodeContext::integer_list(std::string_view name, std::size_t count, std::int64_t absent) const {
  ir::Integers values = integer_list(name);
  if (values.empty()) values.assign(count, absent);
  if (values.size() != count) {
    fail("attribute '" + std::string(name) + "' has " + std::to_string(values.size()) + " values, " +
         std::to_string(count) + " are needed");
  }
  return values;
}
ir::Numbers NodeContext::real_list(std::string_view name) const {
  const auto* attribute = find_attribute(name);
  if (attribute == nullptr) return {};
  if (attribute->type() == Type::INT || attribute->type() == Type::FLOAT) return {real_of(*this, *attribute)};
  if (attribute->type() == Type::INTS) return {attribute->ints().begin(), attribute->ints().end()};
  if (attribute->type() != Type::FLOATS) fail_type(*this, *attribute, "a list of numbers");
  return {attribute->floats().begin(), attribute->floats().end()};
}
ir::CheckedList<std::string> NodeContext::text_list(std::string_view name) const {
  const auto* attribute = find_attribute(name);
  if (attribute == nullptr) return {};
  if (attribute->type() == Type::STRING) return {attribute->s()};
  if (attribute->type() != Type::STRINGS) fail_type(*this, *attribute, "a list of strings");
  return {attribute->strings().begin(), attribute->strings().end()};
}

TensorAttribute NodeContext::tensor_attribute(std::string_view name) const {
  const onnx::AttributeProto& attribute = get(name);
  if (!attribute.has_t() && !attribute.has_sparse_tensor()) fail_type(*this, attribute, "a tensor");
  const WeightTable& weights = translator_->attempt().input->model->weights();
  TensorResult result = attribute.has_sparse_tensor() ? read_tensor(attribute.sparse_tensor(), weights)
                                                      : read_tensor(attribute.t(), weights);
  if (!result)
    fail("the tensor in attribute '" + std::string(name) + "' cannot be used: " + result.error().message);
  return *std::move(result);
}

const onnx::GraphProto& NodeContext::graph_attribute(std::string_view name) const {
  const onnx::AttributeProto& attribute = get(name);
  if (!attribute.has_g()) fail("attribute '" + std::string(name) + "' is not a graph");
  return attribute.g();
}

const onnx::TypeProto& NodeContext::type_attribute(std::string_view name) const {
  const onnx::AttributeProto& attribute = get(name);
  if (!attribute.has_tp()) fail("attribute '" + std::string(name) + "' is not a type");
  return attribute.tp();
}

ElementType NodeContext::element_type(std::int64_t onnx_type) const {
  const TensorTypeInfo* const row = find_tensor_type(onnx_type);
  if (row == nullptr || !row->ir_type) {
    fail("element type " + std::string(tensor_type_name(onnx_type)) + " does not exist in OpenVINO");
  }
  return *row->ir_type;
}

ir::Integers NodeContext::require_integers(Value value, std::string_view what) const {
  if (auto values = known_integers(value)) return *std::move(values);
  fail(std::string(what) + " must be known at conversion time");
}

ir::Numbers NodeContext::require_numbers(Value value, std::string_view what) const {
  if (auto values = known_numbers(value)) return *std::move(values);
  fail(std::string(what) + " must be known at conversion time");
}

void NodeContext::fail(std::string message, std::string hint) const {
  throw base::Failure(DiagnosticCode::cannot_convert, std::move(message), std::move(hint));
}

void NodeContext::warn(DiagnosticCode code, std::string message, Severity severity) {
  translator_->report(base::diagnostic_of(
      {code, std::move(message)}, translator_->place(*proto_, translator_->current_index()), severity));
}

}  // namespace onnx2ir::frontend
