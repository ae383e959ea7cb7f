#include <algorithm>
#include <array>

#include "ir/graph.hpp"
#include "ir/inference.hpp"
#include "ir/op_descriptor.hpp"
#include "ir/ops/families.hpp"

namespace onnx2ir::ir {
namespace {

struct Registry {
  std::vector<OpDescriptor> ops;
  std::array<OpDescriptor*, kOperationCount> by_id = {};

  Registry() : ops(described_operations()) {
    for (OpDescriptor& op : ops) by_id[static_cast<std::size_t>(op.id)] = &op;
    for (const auto family : kOpFamilies) {
      for (const OpFunction& function : family()) {
        function.operations.for_each([&](Op operation) {
          InferFunction& infer = by_id[static_cast<std::size_t>(operation)]->infer;
          if (infer != nullptr)
            throw base::InternalError("two functions of " + std::string(name_of(operation)));
          infer = function.infer;
        });
      }
    }
    for (OpDescriptor& op : ops) {
      if (op.infer == nullptr && op.traits.keeps_shape) op.infer = infer_as_data;
      if (op.infer == nullptr) throw base::InternalError("no function of " + std::string(op.name));
    }
  }
};

// Created once and never changed: the only kind of static data that is allowed.
const Registry& registry() {
  static const Registry instance;
  return instance;
}

bool can_express(const OlderVersion& version, const Node& node) {
  const auto has = [&](std::string_view attribute) { return node.find_attribute(attribute) != nullptr; };
  const auto& [attribute, value] = version.unless;
  const auto* const text = std::get_if<std::string>(node.find_attribute(attribute));
  return std::ranges::none_of(version.without, has) && (text == nullptr || *text != value);
}

}  // namespace

std::span<const OpDescriptor> all_ops() {
  return registry().ops;
}

const OpDescriptor& find_op(Op op) {
  return *registry().by_id[static_cast<std::size_t>(op)];
}

const OpDescriptor* find_op_or_null(std::string_view name) {
  static_assert(std::ranges::is_sorted(kOperationNames));
  const auto* const found = std::ranges::lower_bound(kOperationNames, name);
  if (found == kOperationNames.end() || *found != name) return nullptr;
  return &find_op(static_cast<Op>(found - kOperationNames.begin()));
}

bool is_note(const OpDescriptor& op, std::string_view attribute) {
  return std::ranges::any_of(op.attributes, [&](const AttributeSpec& spec) {
    return spec.presence == AttributeSpec::Presence::note && spec.name == attribute;
  });
}

std::vector<std::string_view> missing_attributes(const OpDescriptor& op,
                                                 std::span<const Attribute> attributes) {
  std::vector<std::string_view> missing;
  for (const AttributeSpec& spec : op.attributes) {
    if (spec.presence == AttributeSpec::Presence::required &&
        std::ranges::find(attributes, spec.name, &Attribute::name) == attributes.end())
      missing.push_back(spec.name);
  }
  return missing;
}

std::string_view oldest_version(const Node& node) {
  for (const OlderVersion& version : node.op().older) {
    if (can_express(version, node)) return version.opset;
  }
  return node.op().opset;
}

bool is_version(const Node& node, std::string_view opset) {
  if (opset == node.op().opset) return true;
  return std::ranges::any_of(node.op().older, [&](const OlderVersion& version) {
    return version.opset == opset && can_express(version, node);
  });
}

}  // namespace onnx2ir::ir
