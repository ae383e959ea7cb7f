#include "frontend/graph/custom_operators.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/graph/graph_translator.hpp"
#include "frontend/graph/onnx_types.hpp"
#include "frontend/mapping/operator_map.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/place.hpp"
#include "ir/extension.hpp"
#include "ir/inference.hpp"
#include "ir/op_descriptor.hpp"

namespace onnx2ir::frontend {
namespace {

/// The value of an ONNX attribute as an attribute of `kind`; no value if it has another type.
std::optional<ir::AttributeValue> converted(const NodeContext& node, const onnx::AttributeProto& attribute,
                                            ir::AttributeSpec::Kind kind) {
  if (kind == ir::AttributeSpec::Kind::type && attribute.type() == onnx::AttributeProto::INT)
    return node.element_type(attribute.i());
  auto value = attribute_value(attribute);
  return value ? coerced(*std::move(value), kind) : std::nullopt;
}

std::vector<ir::Attribute> attributes_of(const NodeContext& node, const OperatorRule& rule) {
  std::vector<ir::Attribute> attributes;
  for (const AttributeRule& attribute : rule.attributes) {
    const ir::AttributeSpec& spec = *attribute.spec;
    const onnx::AttributeProto* const given =
        attribute.source.empty() ? nullptr : node.find_attribute(attribute.source);
    if (given != nullptr) {
      auto value = converted(node, *given, spec.kind);
      if (!value)
        node.fail(fmt::format("attribute '{}' has another type than '{}' of {}", attribute.source, spec.name,
                              rule.operation->name));
      attributes.emplace_back(spec, *std::move(value));
    } else if (attribute.value) {
      attributes.emplace_back(spec, *attribute.value);
    } else if (spec.presence == ir::AttributeSpec::Presence::required) {
      node.fail(fmt::format("attribute '{}' is missing", attribute.source),
                "give a 'default' in the operator map");
    }
  }
  return attributes;
}

std::vector<Value> inputs_of(const NodeContext& node, const OperatorRule& rule) {
  std::vector<Value> inputs;
  if (rule.inputs) {
    for (const std::size_t index : *rule.inputs) inputs.push_back(node.input(index));
  } else {
    for (std::size_t i = 0; i < node.input_count(); ++i) inputs.push_back(node.input(i));
  }
  return inputs;
}

[[noreturn]] void refuse(const NodeContext& node, const std::string& reason, std::string_view hint) {
  throw base::Failure(DiagnosticCode::unsupported_operator,
                      "operator " + operator_name(node.proto()) + " cannot be kept: " + reason,
                      std::string(hint));
}

[[noreturn]] void refuse(const NodeContext& node, const onnx::AttributeProto& attribute,
                         std::string_view reason) {
  refuse(node, fmt::format("its attribute '{}' {}", attribute.name(), reason),
         "change the attribute in the model, or pass it as an input");
}

/// The text of an attribute as OpenVINO reads it.
std::string value_text(const NodeContext& node, const onnx::AttributeProto& attribute) {
  const auto value = attribute_value(attribute);
  if (!value) refuse(node, attribute, "is not a number, a text or a list of them");
  const auto has_comma = [](const std::string& text) { return text.find(',') != std::string::npos; };
  if (const auto* const texts = std::get_if<std::vector<std::string>>(&*value);
      texts != nullptr && std::ranges::any_of(*texts, has_comma))
    refuse(node, attribute, "is a list with a comma in a text");
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r';
  };
  std::string text = to_string(*value);
  if (std::ranges::any_of(text, is_control))
    refuse(node, attribute, "contains a control character, which XML does not have");
  return text;
}

std::vector<std::string> attribute_texts(const NodeContext& node) {
  std::vector<std::string> texts;
  std::set<std::string_view> names;
  for (const onnx::AttributeProto& attribute : node.proto().attribute()) {
    const std::string& name = attribute.name();
    if (!ir::is_attribute_name(name))
      refuse(node, "'" + name + "' cannot be the name of an attribute in XML",
             "rename the attribute in the model");
    if (!names.insert(name).second)
      refuse(node, "it has two attributes '" + name + "'", "remove one of them from the model");
    texts.push_back(name + '=' + value_text(node, attribute));
  }
  return texts;
}

/// The declared type of an output.
ir::ExtensionOutput output_type(const NodeContext& node, const std::string& name) {
  if (name.empty()) return {};
  const std::string which = "its output '" + name + "'";
  const onnx::TypeProto* const declared = node.translator().declared_type(name);
  if (declared == nullptr ||
      (declared->has_tensor_type() && declared->tensor_type().elem_type() == onnx::TensorProto::UNDEFINED)) {
    refuse(node, "the model does not declare the element type of " + which,
           "add the type to the value_info of its graph: "
           "model.graph.value_info.append(onnx.helper.make_tensor_value_info(NAME, TYPE, SHAPE))");
  }
  const auto type = to_operand_type(*declared);
  if (!type) refuse(node, which + ' ' + type.error().message, "declare another type");
  if (type->kind != OperandType::Kind::tensor)
    refuse(node, which + " is declared as a " + to_string(*type) + "; a layer has only tensors",
           "change the model so that the operator returns tensors");
  PartialShape shape = type->shape;
  // If the caller has changed shapes of inputs, declared sizes of other tensors need not hold.
  const auto& inputs = node.translator().attempt().input->options->inputs;
  const bool has_new_shapes =
      std::ranges::any_of(inputs, [](const InputSpec& one) { return one.shape.has_value(); });
  if (has_new_shapes && shape.has_rank()) shape = PartialShape::of_rank(shape.rank());
  return {type->type, std::move(shape)};
}

/// OpenVINO identifies the operation by the type of the layer alone.
void check_domain(const NodeContext& node) {
  const auto [kept, is_new] = node.translator().attempt().found.kept_operators.try_emplace(
      std::string(node.op_type()), std::string(node.domain()));
  if (!is_new && kept->second != node.domain()) {
    refuse(node, "an operator of the same name, but of the domain '" + kept->second + "', is kept as well",
           "rename one of them in the model");
  }
}

}  // namespace

Operands map_operator(NodeContext& node, const OperatorRule& rule) {
  const auto attributes = attributes_of(node, rule);
  const auto inputs = inputs_of(node, rule);
  const auto fail = [&](std::string_view reason) {
    node.fail(fmt::format("{}, to which operators[{}] of the operator map converts it, rejects the node: {}",
                          rule.operation->name, rule.index, reason));
  };
  if (const auto problem = ir::input_problem(*rule.operation, inputs)) fail(*problem);
  const auto created = base::attempt(DiagnosticCode::invalid_node, [&] {
    return &node.node(rule.operation->id, inputs, attributes, node.output_count());
  });
  if (!created) fail(created.error().message);
  ir::Node* const emitted = *created;
  if (!rule.opset.empty() && !ir::is_version(*emitted, rule.opset))
    fail(fmt::format("{} cannot express it", rule.opset));
  const ir::Values outputs = emitted->values();
  return {outputs.begin(), outputs.end()};
}

Operands keep_operator(NodeContext& node) {
  check_domain(node);
  std::vector<Value> inputs;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (!node.has_input(i)) {
      refuse(node, "its input " + std::to_string(i) + " is omitted, and a later one is not",
             "pass a tensor, for example an empty one");
    }
    inputs.push_back(node.input(i));
  }
  std::vector<ir::ExtensionOutput> types;
  for (const std::string& name : node.proto().output()) types.push_back(output_type(node, name));
  const auto attributes = ir::extension_attributes(std::string(node.op_type()), attribute_texts(node), types);
  ir::Node& layer = node.node(ops::ExtensionOperation, inputs, attributes, types.size());
  node.warn(DiagnosticCode::kept_operator,
            fmt::format("operator {} is kept: OpenVINO needs an extension with the operation '{}'",
                        operator_name(node.proto()), node.op_type()),
            Severity::remark);
  const ir::Values outputs = layer.values();
  return {outputs.begin(), outputs.end()};
}

}  // namespace onnx2ir::frontend
