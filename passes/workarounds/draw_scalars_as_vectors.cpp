// Workaround for scalar_random_numbers: a RandomUniform of a scalar draws a vector of one number.
#include <vector>

#include "ir/views/random.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

bool draws_scalar(ir::RandomUniformView random) {
  return random.shape().shape().element_count() == 0;
}

ir::Value draw_as_vector(ir::Builder& builder, ir::RandomUniformView random) {
  const ir::Value vector =
      ir::clone_with_input(builder, random, ir::RandomUniformView::Input::shape, builder.integers({1}));
  return ir::reshape(builder, vector, std::vector<std::int64_t>{});
}

}  // namespace

Workaround draw_scalars_as_vectors() {
  return {.stage = Stage::imported,
          .summary = "Draws a vector of one number instead of a scalar",
          .rows = {row<draws_scalar, draw_as_vector>(Fault::scalar_random_numbers, {ops::RandomUniform})}};
}

}  // namespace onnx2ir::passes
