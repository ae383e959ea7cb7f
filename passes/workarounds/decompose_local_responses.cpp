// Workarounds for lrn_even_size and lrn_fractional_bias: an LRN with an even size becomes arithmetic with the
// average of the squares in a window, and a fractional bias is factored out: (bias + sum)^beta = bias^beta *
// (1 + sum / bias)^beta.
#include <cmath>

#include "base/portable_math.hpp"
#include "ir/views/normalization.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

using ir::Value;

/// Whether the LRN is across channels, as that of ONNX is.
bool is_across_channels(ir::LRNView lrn) {
  return ir::exact_values(lrn.axes()) == ir::Integers{1} && lrn.data().shape().has_rank();
}

bool has_even_size(ir::LRNView lrn) {
  return lrn.size() % 2 == 0 && is_across_channels(lrn);
}

bool has_fractional_bias(ir::LRNView lrn) {
  const double bias = lrn.bias();
  return std::trunc(bias) != bias && (lrn.size() % 2 != 0 || !is_across_channels(lrn));
}

Value set_bias_to_one(ir::Builder& builder, ir::LRNView lrn) {
  const double bias = lrn.bias();
  const double beta = lrn.beta();
  const Value y =
      builder.op(ops::LRN, {lrn.data(), lrn.axes()},
                 {{"alpha", lrn.alpha() / bias}, {"beta", beta}, {"bias", 1.0}, {"size", lrn.size()}});
  return builder.op(ops::Multiply, {y, builder.number_like(base::power(bias, -beta), y)});
}

Value decompose(ir::Builder& builder, ir::LRNView lrn) {
  const Value x = lrn.data();
  const std::int64_t size = lrn.size();
  const Value batch = ir::dimension_of(builder, x, 0);
  const Value channels = ir::dimension_of(builder, x, 1);
  const Value squared = builder.op(ops::Multiply, {x, x});
  const Value one = builder.integers({1});
  const Value rest = builder.integers({-1});
  const Value flat = ir::reshape(builder, squared, ir::concat(builder, {batch, one, channels, rest}));
  const std::int64_t before = (size - 1) / 2;
  const Value mean = builder.op(ops::AvgPool, {flat},
                                {{"kernel", std::vector<std::int64_t>{size, 1}},
                                 {"strides", std::vector<std::int64_t>{1, 1}},
                                 {"pads_begin", std::vector<std::int64_t>{before, 0}},
                                 {"pads_end", std::vector<std::int64_t>{size - 1 - before, 0}},
                                 {"exclude-pad", false},
                                 {"auto_pad", "explicit"},
                                 {"rounding_type", "floor"}});
  const Value squares = ir::reshape(builder, mean, ir::shape_of(builder, x));
  const Value scaled = builder.op(ops::Multiply, {squares, builder.number_like(lrn.alpha(), x)});
  const Value base = builder.op(ops::Add, {scaled, builder.number_like(lrn.bias(), x)});
  const Value power = builder.op(ops::Power, {base, builder.number_like(lrn.beta(), x)});
  return builder.op(ops::Divide, {x, power}, {{"m_pythondiv", true}});
}

}  // namespace

Workaround decompose_local_responses() {
  return {.stage = Stage::imported,
          .summary = "Decomposes LRN with an even size, and factors a fractional bias out",
          .rows = {row<has_even_size, decompose>(Fault::lrn_even_size, {ops::LRN}),
                   row<has_fractional_bias, set_bias_to_one>(Fault::lrn_fractional_bias, {ops::LRN})}};
}

}  // namespace onnx2ir::passes
