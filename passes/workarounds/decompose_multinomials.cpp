// Workaround for repeated_multinomial: a Multinomial with replacement becomes arithmetic with the numbers of
// a RandomUniform, which draws new numbers in each inference.
#include "ir/views/random.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

using ir::ElementType;
using ir::Value;

Value gather_in_rows(ir::Builder& builder, Value from, Value indices) {
  return builder.op(ops::Gather, {from, indices, builder.integer(1)}, {{"batch_dims", 1}});
}

/// The number of elements of `sums` [rows, 1 or samples, n] that are at most `bounds` [rows, samples, 1]: i32
/// [rows, samples].
Value count_at_most(ir::Builder& builder, Value sums, Value bounds) {
  const Value is_counted = builder.op(ops::LessEqual, {sums, bounds});
  return ir::reduce(builder, ops::ReduceSum, ir::convert(builder, is_counted, ElementType::i32), {2});
}

/// The same for `sums` [rows, 1, n], with fewer comparisons: those with the last elements of blocks, and
/// those with the elements of one block.
Value count_by_blocks(ir::Builder& builder, Value sums, Value bounds) {
  constexpr std::int64_t kBlock = 128;
  constexpr double kAboveAll = 2;  // sums of probabilities are below
  const Value negative = builder.op(ops::Multiply, {ir::dimension_of(builder, sums, 2), builder.integer(-1)});
  const Value surplus = builder.op(ops::FloorMod, {negative, builder.integer(kBlock)});
  const Value ends = ir::concat(builder, {builder.integers({0, 0}), surplus});
  const Value padded =
      builder.op(ops::Pad, {sums, builder.integers({0, 0, 0}), ends, builder.number_like(kAboveAll, sums)},
                 {{"pad_mode", "constant"}});
  const Value blocks = ir::reshape_keeping(builder, padded, {0, -1, kBlock});
  const Value last = ir::gather(builder, blocks, builder.integer(kBlock - 1), 2);
  const Value block = count_at_most(builder, ir::unsqueeze(builder, last, {1}), bounds);
  const Value inside = gather_in_rows(builder, blocks, block);
  const Value before = builder.op(ops::Multiply, {block, builder.integer(kBlock, ElementType::i32)});
  return builder.op(ops::Add, {before, count_at_most(builder, inside, bounds)});
}

/// Whether a comparison of each sample with each class takes little memory.
bool are_few(ir::MultinomialView multinomial) {
  constexpr std::int64_t kFewClasses = 256;
  const ir::PartialShape& shape = multinomial.probabilities().shape();
  return ir::known_scalar(multinomial.samples()) == 1 || (shape.has_rank() && shape[1].max <= kFewClasses);
}

/// With replacement. OpenVINO does not infer the rank of random numbers if the number of samples is dynamic.
bool draws_repeatedly(ir::MultinomialView multinomial) {
  return multinomial.with_replacement() && multinomial.probabilities().shape().has_rank() &&
         ir::known_scalar(multinomial.samples());
}

bool is_without_seeds(ir::MultinomialView multinomial) {
  return draws_repeatedly(multinomial) && multinomial.global_seed() == 0 && multinomial.op_seed() == 0;
}

/// Probabilities [rows, classes] in f32 whose sum in each row is 1.
Value normalize(ir::Builder& builder, ir::MultinomialView multinomial) {
  const Value given = ir::convert(builder, multinomial.probabilities(), ElementType::f32);
  if (multinomial.log_probs()) return builder.op(ops::SoftMax, {given}, {{"axis", 1}});
  const Value sum = ir::reduce_keep_dims(builder, ops::ReduceSum, given, {1});
  return builder.op(ops::Divide, {given, sum}, {{"m_pythondiv", true}});
}

Value decompose(ir::Builder& builder, ir::MultinomialView multinomial) {
  const Value probabilities = normalize(builder, multinomial);
  const Value cumulative = builder.op(ops::CumSum, {probabilities, builder.integer(1)},
                                      {{"exclusive", false}, {"reverse", false}});
  const Value sums = ir::unsqueeze(builder, cumulative, {1});
  // Because of rounding, the last sum may differ from 1. In f32, a number below 1 times the last sum is below
  // the last sum, so that no class with probability 0 is drawn.
  const Value total = ir::reduce_keep_dims(builder, ops::ReduceMax, sums, {2});
  const Value rows = ir::dimension_of(builder, probabilities, 0);
  const Value samples = builder.integers({*ir::known_scalar(multinomial.samples())});
  const Value sizes = ir::concat(builder, {rows, samples, builder.integers({1})});
  const Value low = builder.number(0, ElementType::f32);
  const Value high = builder.number(1, ElementType::f32);
  const Value uniform =
      draw_numbers(builder, sizes, low, high, multinomial.global_seed(), multinomial.op_seed());
  const Value drawn = builder.op(ops::Multiply, {uniform, total});
  const Value found =
      are_few(multinomial) ? count_at_most(builder, sums, drawn) : count_by_blocks(builder, sums, drawn);
  // If OpenVINO computes in bf16, a number can round to 1.
  const Value classes = ir::convert(builder, ir::dimension_of(builder, probabilities, 1), ElementType::i32);
  const Value last = builder.op(ops::Subtract, {classes, builder.integer(1, ElementType::i32)});
  return ir::convert(builder, builder.op(ops::Minimum, {found, last}), multinomial.convert_type());
}

}  // namespace

Workaround decompose_multinomials() {
  return {.summary = "Draws classes with the numbers of a RandomUniform",
          .stages = {{Stage::operations,
                      {row<is_without_seeds, decompose>(Fault::repeated_multinomial, {ops::Multinomial}),
                       // Each iteration of a Loop draws the same numbers also with seeds.
                       row<draws_repeatedly, decompose>(Fault::repeated_multinomial, {ops::Multinomial},
                                                        {ops::Loop})}}}};
}

}  // namespace onnx2ir::passes
