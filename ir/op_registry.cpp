#include <stdexcept>
#include <unordered_map>

#include "ir/op_descriptor.hpp"
#include "ir/ops/families.hpp"

namespace onnx2ir::ir {
namespace {

struct Registry {
  std::vector<OpDescriptor> ops;
  std::unordered_map<std::string_view, const OpDescriptor*> by_name;

  Registry() {
    for (const auto family : kOpFamilies) {
      auto rows = family();
      ops.insert(ops.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
    }
    by_name.reserve(ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) ops[i].index = static_cast<std::uint16_t>(i);
    for (const OpDescriptor& op : ops) {
      if (!by_name.emplace(op.name, &op).second) {
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
  const auto& by_name = registry().by_name;
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

const OpDescriptor& find_op(std::string_view name) {
  if (const OpDescriptor* op = find_op_or_null(name)) return *op;
  throw std::logic_error("no operation " + std::string(name));
}

OperationSet::OperationSet(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) add(find_op(name));
}

void OperationSet::add(const OpDescriptor& op) {
  bits_.set(op.index);
}

}  // namespace onnx2ir::ir
