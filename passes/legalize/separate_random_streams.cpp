// Workaround for equal_random_numbers: in a model with several RandomUniforms without seeds, each but the
// first one gets a seed of its own. Its numbers are shifted by a number without seed and wrapped around at 1,
// which keeps them uniform: they differ between two compilations of the model.
#include <cstdint>

#include "ir/views/random.hpp"
#include "passes/finished_forms.hpp"
#include "passes/passes.hpp"
#include "passes/pattern.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

/// Streams with seeds of the model have numbers of frontend/translators/onnx/random.cpp.
constexpr std::int64_t kFirstStream = 1000;

/// Whether a RandomUniform has no seeds and fills a tensor with axes with numbers in [0, 1).
bool is_without_seed(ir::RandomUniformView random) {
  const ir::PartialShape& shape = random.output(0).shape;
  return !random.node().notes.contains(ir::Note::keeps_seed) && random.global_seed() == 0 &&
         random.op_seed() == 0 && random.output_type() == ir::ElementType::f32 && shape.has_rank() &&
         shape.rank() > 0 && ir::exact_number(random.low()) == 0.0 && ir::exact_number(random.high()) == 1.0;
}

}  // namespace

bool is_shift_of_random_stream(ir::Value value) {
  const auto random = ir::match<ir::RandomUniformView>(value);
  ir::Node* const sum = random && is_number_without_seed(*random) ? only_reader(*random) : nullptr;
  if (sum == nullptr || !matches(sum->value(), op(ops::Add, op(ops::RandomUniform), same(value))))
    return false;
  const ir::Node* const reader = only_reader(*sum);
  return reader != nullptr && reader->is(ops::FloorMod);
}

bool separate_random_streams(ir::Model& model, PassContext&) {
  std::int64_t found = 0;
  return rewrite_values(model, {ops::RandomUniform}, [&](ir::Builder& builder, ir::Node& node) {
    if (!is_without_seed(node)) return ir::Value{};
    if (found++ == 0) return ir::Value{};
    const ir::RandomUniformView random = node;
    const ir::Value numbers =
        draw_numbers(builder, random.shape(), random.low(), random.high(), kFirstStream, found);
    const ir::Value shift = draw_numbers(builder, builder.integers({1}), random.low(), random.high());
    shift.node->notes.add({ir::Note::keeps_seed, ir::Note::may_be_folded});
    const ir::Value sum = builder.op(ops::Add, {numbers, shift});
    // OpenVINO evaluates Floor of random numbers at compile time if it is subtracted.
    return builder.op(ops::FloorMod, {sum, builder.number(1, ir::ElementType::f32)});
  });
}

}  // namespace onnx2ir::passes
