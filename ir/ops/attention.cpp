// Scaled dot-product attention.
#include "ir/views/attention.hpp"

#include "ir/inference.hpp"
#include "ir/ops/families.hpp"

namespace onnx2ir::ir {
namespace {

/// The dimensions of a shape before the last two.
PartialShape batch_of(const PartialShape& shape) {
  const auto all = shape.dimensions();
  return PartialShape(Dimensions(all.begin(), all.end() - 2));
}

const Dimension& from_end(const PartialShape& shape, std::size_t place) {
  return shape[shape.rank() - place];
}

void widen(PartialShape& shape, const PartialShape& other, std::string_view what) {
  const auto merged = broadcast(shape, other);
  if (!merged) invalid("ScaledDotProductAttention's " + std::string(what) + " does not fit its other inputs");
  shape = *merged;
}

void infer_attention(Node& node) {
  const ScaledDotProductAttentionView attention = node;
  const ElementType type = same_type(node, 0, 3);
  require(is_floating(type), "ScaledDotProductAttention takes floating-point numbers");
  const PartialShape& query = attention.query().shape();
  const PartialShape& key = attention.key().shape();
  const PartialShape& value = attention.value().shape();
  for (const PartialShape* shape : {&query, &key, &value}) {
    require(shape->has_rank() && shape->rank() >= 3,
            "ScaledDotProductAttention takes inputs of at least three dimensions");
  }
  require(intersect(from_end(query, 1), from_end(key, 1)).has_value(),
          "query and key of ScaledDotProductAttention have heads of different sizes");
  require(intersect(from_end(key, 2), from_end(value, 2)).has_value(),
          "ScaledDotProductAttention needs as many keys as values");
  PartialShape batch = batch_of(query);
  widen(batch, batch_of(key), "key");
  widen(batch, batch_of(value), "value");
  PartialShape rows{from_end(query, 2)};
  if (attention.mask() && !attention.causal() && !attention.mask().shape().is_scalar()) {
    const PartialShape& mask = attention.mask().shape();
    require(mask.has_rank() && mask.rank() >= 2,
            "ScaledDotProductAttention takes masks of two dimensions or more");
    require(mask.rank() <= query.rank(), "ScaledDotProductAttention's mask has too many dimensions");
    widen(batch, batch_of(mask), "mask");
    widen(rows, PartialShape{from_end(mask, 2)}, "mask");
  }
  batch.mutable_dimensions().push_back(rows[0]);
  batch.mutable_dimensions().push_back(from_end(value, 1));
  set_output(node, 0, type, std::move(batch));
}

}  // namespace

std::vector<OpFunction> attention_functions() {
  return {
      {ops::ScaledDotProductAttention, infer_attention},
  };
}

}  // namespace onnx2ir::ir
