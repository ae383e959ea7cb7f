#include "frontend/graph/extension_node.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "frontend/mapping/operator_map.hpp"
#include "frontend/reader/onnx_proto.hpp"

namespace onnx2ir::frontend {
namespace {

void set_value(onnx2ir_attribute& attribute, const onnx::AttributeProto& proto, onnx2ir_node& node) {
  using Type = onnx::AttributeProto;
  const auto stored = [&](onnx2ir_attribute_kind kind, auto& owner, auto elements) {
    attribute.kind = kind;
    attribute.count = elements.size();
    return owner.emplace_back(std::move(elements)).data();
  };
  const auto set_integers = [&](onnx2ir_attribute_kind kind, std::vector<std::int64_t> elements) {
    attribute.integers = stored(kind, node.integers, std::move(elements));
  };
  const auto set_reals = [&](onnx2ir_attribute_kind kind, std::vector<double> elements) {
    attribute.reals = stored(kind, node.reals, std::move(elements));
  };
  const auto set_texts = [&](onnx2ir_attribute_kind kind, std::vector<onnx2ir_text> elements) {
    attribute.texts = stored(kind, node.texts, std::move(elements));
  };
  switch (proto.type()) {
    case Type::INT:
      return set_integers(ONNX2IR_INTEGER, {proto.i()});
    case Type::FLOAT:
      return set_reals(ONNX2IR_REAL, {static_cast<double>(proto.f())});
    case Type::STRING:
      return set_texts(ONNX2IR_TEXT, {view(proto.s())});
    case Type::INTS:
      return set_integers(ONNX2IR_INTEGERS, {proto.ints().begin(), proto.ints().end()});
    case Type::FLOATS:
      return set_reals(ONNX2IR_REALS, {proto.floats().begin(), proto.floats().end()});
    case Type::STRINGS: {
      std::vector<onnx2ir_text> texts;
      for (const std::string& text : proto.strings()) texts.push_back(view(text));
      return set_texts(ONNX2IR_TEXTS, std::move(texts));
    }
    case Type::TENSOR:
    case Type::SPARSE_TENSOR:
      attribute.kind = ONNX2IR_TENSOR;
      attribute.count = 1;
      return;
    default:
      attribute.kind = ONNX2IR_OTHER;
  }
}

/// The value of an attribute; no value if it is no number, text or list of them.
std::optional<ir::AttributeValue> value_of(const onnx2ir_attribute& given) {
  switch (given.kind) {
    case ONNX2IR_INTEGER:
      return *given.integers;
    case ONNX2IR_REAL:
      return *given.reals;
    case ONNX2IR_TEXT:
      return std::string(view(*given.texts));
    case ONNX2IR_INTEGERS: {
      const auto integers = list(given.integers, given.count);
      return std::vector<std::int64_t>(integers.begin(), integers.end());
    }
    case ONNX2IR_REALS: {
      const auto reals = list(given.reals, given.count);
      return std::vector<double>(reals.begin(), reals.end());
    }
    case ONNX2IR_TEXTS: {
      std::vector<std::string> copies;
      for (const onnx2ir_text text : list(given.texts, given.count)) copies.emplace_back(view(text));
      return copies;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

onnx2ir_attribute read_attribute(onnx2ir_node& node, onnx2ir_text name) {
  onnx2ir_attribute attribute{name, ONNX2IR_ABSENT, 0, nullptr, nullptr, nullptr};
  if (const auto* const proto = node.context->find_attribute(view(name))) set_value(attribute, *proto, node);
  return attribute;
}

std::vector<ir::Attribute> attributes_of(const NodeContext& context, const ir::OpDescriptor& op,
                                         std::span<const onnx2ir_attribute> given) {
  std::vector<ir::Attribute> attributes;
  for (const onnx2ir_attribute& attribute : given) {
    const auto spec = std::ranges::find(op.attributes, view(attribute.name), &ir::AttributeSpec::name);
    if (spec == op.attributes.end() || spec->presence == ir::AttributeSpec::Presence::note)
      context.fail(fmt::format("{} has no attribute '{}'{}", op.name, view(attribute.name),
                               suggest_attribute(op, view(attribute.name))));
    auto value = value_of(attribute);
    if (value) value = coerced(*std::move(value), spec->kind);
    if (!value) context.fail(fmt::format("attribute '{}' of {} has another type", spec->name, op.name));
    attributes.emplace_back(*spec, *std::move(value));
  }
  if (const auto missing = ir::missing_attributes(op, attributes); !missing.empty())
    context.fail(fmt::format("{} needs the attribute '{}'", op.name, missing.front()));
  return attributes;
}

}  // namespace onnx2ir::frontend
