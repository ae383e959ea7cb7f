#include <algorithm>
#include <stdexcept>

#include "ir/graph.hpp"
#include "ir/name_table.hpp"
#include "ir/op_descriptor.hpp"
#include "ir/ops/families.hpp"

namespace onnx2ir::ir {
namespace {

struct Registry {
  std::vector<OpDescriptor> ops;
  NameTable<const OpDescriptor*> by_name;

  Registry() {
    for (const auto family : kOpFamilies) {
      auto rows = family();
      ops.insert(ops.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
    }
    by_name.reserve(ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) ops[i].index = static_cast<std::uint16_t>(i);
    for (const OpDescriptor& op : ops) {
      if (!by_name.add(op.name, &op)) {
        throw std::logic_error("two descriptors of " + std::string(op.name));
      }
    }
  }
};

// A table made once and never changed: the one kind of state that may live this long.
const Registry& registry() {
  static const Registry instance;
  return instance;
}

}  // namespace

std::span<const OpDescriptor> all_ops() {
  return registry().ops;
}

const OpDescriptor* find_op_or_null(std::string_view name) {
  const auto* const found = registry().by_name.find(name);
  return found == nullptr ? nullptr : *found;
}

const OpDescriptor& find_op(std::string_view name) {
  if (const OpDescriptor* op = find_op_or_null(name)) return *op;
  throw std::logic_error("no operation " + std::string(name));
}

bool is_note(const OpDescriptor& op, std::string_view attribute) {
  return std::ranges::any_of(op.attributes, [&](const AttributeSpec& spec) {
    return spec.presence == AttributeSpec::Presence::note && spec.name == attribute;
  });
}

namespace {

bool says(const OlderVersion& version, const Node& node) {
  const auto has = [&](std::string_view attribute) { return node.find_attribute(attribute) != nullptr; };
  return std::ranges::none_of(version.without, has) && (version.says == nullptr || version.says(node));
}

}  // namespace

std::string_view oldest_version(const Node& node) {
  for (const OlderVersion& version : node.op().older) {
    if (says(version, node)) return version.opset;
  }
  return node.op().opset;
}

bool is_version(const Node& node, std::string_view opset) {
  if (opset == node.op().opset) return true;
  return std::ranges::any_of(node.op().older, [&](const OlderVersion& version) {
    return version.opset == opset && says(version, node);
  });
}

OperationSet::OperationSet(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) add(find_op(name));
}

void OperationSet::add(const OpDescriptor& op) {
  bits_.set(op.index);
}

}  // namespace onnx2ir::ir
