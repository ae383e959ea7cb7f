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

/// The value of an attribute for an operation that declares it with `kind`; no value if it has another type.
std::optional<ir::AttributeValue> converted(const onnx2ir_attribute& given, ir::AttributeSpec::Kind kind) {
  using Kind = ir::AttributeSpec::Kind;
  const auto integers = list(given.integers, given.kind == ONNX2IR_INTEGER ? 1 : given.count);
  const auto reals = list(given.reals, given.kind == ONNX2IR_REAL ? 1 : given.count);
  const auto texts = list(given.texts, given.kind == ONNX2IR_TEXT ? 1 : given.count);
  if (kind == Kind::real && given.kind == ONNX2IR_INTEGER) return static_cast<double>(integers[0]);
  constexpr onnx2ir_attribute_kind kKinds[] = {ONNX2IR_INTEGER, ONNX2IR_INTEGER,  ONNX2IR_REAL,
                                               ONNX2IR_TEXT,    ONNX2IR_INTEGERS, ONNX2IR_REALS,
                                               ONNX2IR_TEXTS,   ONNX2IR_TEXT};  // by `kind`
  if (given.kind != kKinds[static_cast<std::size_t>(kind)]) return std::nullopt;
  switch (kind) {
    case Kind::boolean:
      if (integers[0] != 0 && integers[0] != 1) return std::nullopt;
      return integers[0] == 1;
    case Kind::integer:
      return integers[0];
    case Kind::real:
      return reals[0];
    case Kind::text:
      return std::string(view(texts[0]));
    case Kind::integers:
      return std::vector<std::int64_t>(integers.begin(), integers.end());
    case Kind::reals:
      return std::vector<double>(reals.begin(), reals.end());
    case Kind::texts: {
      std::vector<std::string> copies;
      for (const onnx2ir_text text : texts) copies.emplace_back(view(text));
      return copies;
    }
    case Kind::type: {
      const auto type = ir::element_type_from_name(view(texts[0]));
      if (!type || *type == ElementType::dynamic) return std::nullopt;
      return *type;
    }
  }
  return std::nullopt;
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
    auto value = converted(attribute, spec->kind);
    if (!value) context.fail(fmt::format("attribute '{}' of {} has another type", spec->name, op.name));
    attributes.emplace_back(*spec, *std::move(value));
  }
  if (const auto missing = ir::missing_attributes(op, attributes); !missing.empty())
    context.fail(fmt::format("{} needs the attribute '{}'", op.name, missing.front()));
  return attributes;
}

}  // namespace onnx2ir::frontend
