#include "frontend/translators/onnx/string_list.hpp"

#include <vector>

namespace onnx2ir::frontend {

StringList::StringList(NodeContext& node, Value texts) : shape_(shape_of(node, texts)) {
  ir::Node& parts = node.node(ops::StringTensorUnpack, {texts});
  const auto list = [&](Value numbers) { return flatten(node, numbers); };
  const Value begins = list(parts.value(0));
  const Value lengths = node.op(ops::Subtract, {list(parts.value(1)), begins});
  const Value zero = node.integers({0}, kWhole);
  begins_ = concat(node, {zero, begins});
  lengths_ = concat(node, {zero, lengths});
  bytes_ = concat(node, {parts.value(2), node.integers({0}, ElementType::u8)});
}

Value StringList::find_longest(Builder& builder) const {
  return reduce(builder, ops::ReduceMax, lengths_, {0});
}

Value StringList::reshape_to_tensor(Builder& builder, Value list) const {
  const Value own = slice(builder, list, 1, kFarEnd, 0);
  return reshape(builder, own, shape_);
}

Value StringList::reshape_to_tensor(Builder& builder, Value rows, Value width) const {
  const Value own = slice(builder, rows, width, builder.integers({kFarEnd}), 0);
  return reshape(builder, own, concat(builder, {shape_, width}));
}

ByteTable::ByteTable(NodeContext& node, const StringList& texts) : node_(&node), texts_(&texts) {
  columns_ = count_to(op(ops::Add, {texts.find_longest(node), number(1)}));
  lengths_ = unsqueeze(node, texts.lengths(), {1});
  places_ = op(ops::Add, {unsqueeze(node, texts.begins(), {1}), columns_});
}

Value ByteTable::write_places(Value cells, Value targets, Value marked) {
  const Value indices = gather(*node_, flatten(targets), marked);
  return scatter(*node_, cells, indices, gather(*node_, flatten(places_), marked), 0);
}

Value widen_bytes(Builder& builder, Value bytes, std::size_t zeros) {
  return concat(builder, {convert(builder, bytes, kWhole),
                          builder.integers(std::vector<std::int64_t>(zeros, 0), kWhole)});
}

Value gather_bytes(Builder& builder, Value bytes, Value places, Value inside) {
  const Value zero = builder.integer(0, kWhole);
  const Value safe = builder.op(ops::Select, {inside, places, zero});
  return builder.op(ops::Select, {inside, gather(builder, bytes, safe), zero});
}

Value pack_rows(Builder& builder, Value rows, Value inside, Value lengths, Value shape) {
  const Value kept = find_true(builder, flatten(builder, inside));
  const Value bytes = gather(builder, flatten(builder, rows), kept);
  const Value ends = cumulative_sum(builder, lengths, 0);
  const Value begins = builder.op(ops::Subtract, {ends, lengths});
  return builder.op(ops::StringTensorPack, {reshape(builder, begins, shape), reshape(builder, ends, shape),
                                            convert(builder, bytes, ElementType::u8)});
}

bool can_overlap(std::string_view text) {
  // The prefix function of Knuth, Morris and Pratt, in linear time.
  std::vector<std::size_t> longest(text.size(), 0);  // prefix that also ends at byte i
  for (std::size_t i = 1; i < text.size(); ++i) {
    std::size_t size = longest[i - 1];
    while (size > 0 && text[size] != text[i]) size = longest[size - 1];
    longest[i] = text[size] == text[i] ? size + 1 : 0;
  }
  return !longest.empty() && longest.back() > 0;
}

}  // namespace onnx2ir::frontend
