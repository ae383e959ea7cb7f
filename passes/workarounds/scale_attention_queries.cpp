// Workaround for attention_scale_rounding: if the key of an attention of 16 bits is constant, the query is
// multiplied by the scale, and the scale becomes 1.
#include <cmath>

#include "ir/views/attention.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

using ir::Value;

bool scales_constant_key(ir::ScaledDotProductAttentionView attention) {
  const Value query = attention.query();
  if (!ir::is_floating(query.type()) || ir::info(query.type()).bits != 16 || !query.shape().has_rank())
    return false;
  if (!ir::is_computed_from_constants(attention.key())) return false;
  return !attention.scale() || ir::exact_number(attention.scale()) != 1.0;
}

/// The query, multiplied by the scale: by default 1 / sqrt(h), whose h may be dynamic.
Value scale_query(ir::Builder& builder, ir::ScaledDotProductAttentionView attention) {
  const Value query = attention.query();
  if (attention.scale()) return builder.op(ops::Multiply, {query, attention.scale()});
  const std::size_t last = query.shape().rank() - 1;
  const ir::Dimension size = query.shape()[last];
  if (size.is_static()) {
    const double scale = 1 / std::sqrt(static_cast<double>(size.size()));
    return builder.op(ops::Multiply, {query, builder.number_like(scale, query)});
  }
  const Value count = ir::size_of(builder, query, static_cast<std::int64_t>(last));
  const Value root = builder.op(ops::Sqrt, {ir::convert(builder, count, query.type())});
  return builder.op(ops::Divide, {query, root}, {{"m_pythondiv", true}});
}

Value scale_before(ir::Builder& builder, ir::ScaledDotProductAttentionView attention) {
  const Value query = scale_query(builder, attention);
  // A scalar 0 is only a placeholder for the mask, before the scale.
  const Value mask = attention.mask() ? attention.mask() : builder.number_like(0, query);
  const Value one = builder.number_like(1, query);
  return builder.op(ops::ScaledDotProductAttention, {query, attention.key(), attention.value(), mask, one},
                    {{"causal", attention.causal()}});
}

}  // namespace

Workaround scale_attention_queries() {
  return {.stage = Stage::imported,
          .summary = "Multiplies the queries of attentions of 16 bits with constant keys by the scale",
          .rows = {row<scales_constant_key, scale_before>(Fault::attention_scale_rounding,
                                                          {ops::ScaledDotProductAttention})}};
}

}  // namespace onnx2ir::passes
