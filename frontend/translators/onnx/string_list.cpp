#include "frontend/translators/onnx/string_list.hpp"

#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr ElementType kWhole = ElementType::i32;

}  // namespace

StringList::StringList(NodeContext& node, Value texts) : shape_(shape_of(node, texts)) {
  ir::Node& parts = node.node(ops::StringTensorUnpack, {texts}, {}, 3);
  const auto list = [&](Value numbers) { return reshape(node, numbers, std::vector<std::int64_t>{-1}); };
  const Value begins = list(parts.value(0));
  const Value lengths = node.op(ops::Subtract, {list(parts.value(1)), begins});
  const Value zero = node.integers({0}, kWhole);
  begins_ = concat(node, {zero, begins});
  lengths_ = concat(node, {zero, lengths});
  bytes_ = concat(node, {parts.value(2), node.integers({0}, ElementType::u8)});
}

Value StringList::longest(Builder& builder) const {
  return reduce(builder, ops::ReduceMax, lengths_, {0});
}

Value StringList::as_tensor(Builder& builder, Value list) const {
  const Value own = slice(builder, list, 1, kFarEnd, 0);
  return reshape(builder, own, shape_);
}

Value StringList::as_tensor(Builder& builder, Value rows, Value width) const {
  const Value own = slice(builder, rows, width, builder.integers({kFarEnd}), 0);
  return reshape(builder, own, concat(builder, {shape_, width}));
}

Value bytes_at(Builder& builder, Value bytes, Value places, Value inside) {
  const Value zero = builder.integer(0, kWhole);
  const Value safe = builder.op(ops::Select, {inside, places, zero});
  return builder.op(ops::Select, {inside, gather(builder, bytes, safe), zero});
}

}  // namespace onnx2ir::frontend
