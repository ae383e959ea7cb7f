#include "frontend/graph/mapped_operator.hpp"

#include <fmt/core.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/graph/node_context.hpp"
#include "frontend/mapping/operator_map.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "ir/inference.hpp"
#include "ir/op_descriptor.hpp"

namespace onnx2ir::frontend {
namespace {

/// The value of an ONNX attribute as an attribute of `kind`; no value if it has another type.
std::optional<ir::AttributeValue> converted(const NodeContext& node, const onnx::AttributeProto& attribute,
                                            ir::AttributeSpec::Kind kind) {
  using Kind = ir::AttributeSpec::Kind;
  using Type = onnx::AttributeProto;
  const auto type = attribute.type();
  switch (kind) {
    case Kind::boolean:
      if (type == Type::INT && (attribute.i() == 0 || attribute.i() == 1)) return attribute.i() == 1;
      return std::nullopt;
    case Kind::integer:
      if (type == Type::INT) return attribute.i();
      return std::nullopt;
    case Kind::real:
      if (type == Type::FLOAT) return static_cast<double>(attribute.f());
      if (type == Type::INT) return static_cast<double>(attribute.i());
      return std::nullopt;
    case Kind::text:
      if (type == Type::STRING) return attribute.s();
      return std::nullopt;
    case Kind::integers:
      if (type == Type::INTS)
        return std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
      if (type == Type::INT) return std::vector<std::int64_t>{attribute.i()};
      return std::nullopt;
    case Kind::reals:
      if (type == Type::FLOATS)
        return std::vector<double>(attribute.floats().begin(), attribute.floats().end());
      if (type == Type::FLOAT) return std::vector<double>{static_cast<double>(attribute.f())};
      return std::nullopt;
    case Kind::texts:
      if (type == Type::STRINGS)
        return std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
      return std::nullopt;
    case Kind::type:
      if (type == Type::INT) return node.element_type(attribute.i());
      return std::nullopt;
  }
  return std::nullopt;
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
      attributes.push_back({spec, *std::move(value)});
    } else if (attribute.value) {
      attributes.push_back({spec, *attribute.value});
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

}  // namespace

Operands map_operator(NodeContext& node, const OperatorRule& rule) {
  const auto attributes = attributes_of(node, rule);
  const auto inputs = inputs_of(node, rule);
  const auto fail = [&](std::string_view reason) {
    node.fail(fmt::format("{}, to which line {} of the operator map converts it, rejects the node: {}",
                          rule.operation->name, rule.line, reason));
  };
  if (const auto problem = ir::input_problem(*rule.operation, inputs)) fail(*problem);
  const auto created = base::attempt(DiagnosticCode::invalid_node, [&] {
    return &node.node(rule.operation->id, inputs, attributes, node.output_count());
  });
  if (!created) fail(created.error().message);
  ir::Node* const emitted = *created;
  if (!rule.opset.empty() && !ir::is_version(*emitted, rule.opset))
    fail(fmt::format("{} cannot express it", rule.opset));
  Operands outputs;
  for (std::size_t i = 0; i < emitted->outputs().size(); ++i) outputs.emplace_back(emitted->value(i));
  return outputs;
}

}  // namespace onnx2ir::frontend
