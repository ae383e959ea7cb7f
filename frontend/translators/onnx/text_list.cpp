#include "frontend/translators/onnx/text_list.hpp"

#include "frontend/translators/onnx/if_builder.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr ElementType kWhole = ElementType::i32;

/// Begins, lengths and bytes with an empty string more in front: {begins, lengths, bytes}.
Values unpacked(Builder& builder, Value texts) {
  ir::Node& parts = builder.node("StringTensorUnpack", {texts}, {}, 3);
  const auto list = [&](Value numbers) { return reshape(builder, numbers, std::vector<std::int64_t>{-1}); };
  const Value begins = list(parts.value(0));
  const Value lengths = builder.op("Subtract", {list(parts.value(1)), begins});
  const Value zero = builder.integers({0}, kWhole);
  return {concat(builder, {zero, begins}), concat(builder, {zero, lengths}),
          concat(builder, {parts.value(2), builder.integers({0}, ElementType::u8)})};
}

Values only_the_empty_one(Builder& builder) {
  const Value zero = builder.integers({0}, kWhole);
  return {zero, builder.integers({0}, kWhole), builder.integers({0}, ElementType::u8)};
}

}  // namespace

TextList::TextList(NodeContext& node, Value texts) : shape_(shape_of(node, texts)) {
  Values parts;
  if (texts.shape().element_count()) {
    parts = unpacked(node, texts);
  } else {
    const Value count = node.op("ReduceProd", {shape_, node.integers({0})}, {{"keep_dims", false}});
    parts = choose(
        node, node.op("NotEqual", {count, node.integer(0)}), {texts},
        [](Builder& branch, const Values& inner) { return unpacked(branch, inner[0]); },
        [](Builder& branch, const Values&) { return only_the_empty_one(branch); });
  }
  begins_ = parts[0];
  lengths_ = parts[1];
  bytes_ = parts[2];
}

Value TextList::longest(Builder& builder) const {
  return builder.op("ReduceMax", {lengths_, builder.integers({0})}, {{"keep_dims", false}});
}

Value TextList::as_tensor(Builder& builder, Value list) const {
  const Value own = slice(builder, list, builder.integers({1}), builder.integers({kFarEnd}), 0);
  return reshape(builder, own, shape_);
}

Value TextList::as_tensor(Builder& builder, Value rows, Value width) const {
  const Value own = slice(builder, rows, width, builder.integers({kFarEnd}), 0);
  return reshape(builder, own, concat(builder, {shape_, width}));
}

Value bytes_at(Builder& builder, Value bytes, Value places, Value inside) {
  const Value zero = builder.integer(0, kWhole);
  const Value safe = builder.op("Select", {inside, places, zero});
  return builder.op("Select", {inside, gather(builder, bytes, safe), zero});
}

}  // namespace onnx2ir::frontend
