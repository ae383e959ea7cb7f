// Workaround for scalar_random_numbers: a RandomUniform of a scalar draws a vector of one number.
#include <vector>

#include "ir/shape_tools.hpp"
#include "ir/views/random.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/clone_with_input.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

bool draws_scalar(ir::RandomUniformView random) {
  return random.shape().shape().element_count() == 0;
}

ir::Value draw_as_vector(ir::Builder& builder, ir::RandomUniformView random) {
  ir::Node& vector =
      clone_with_input(builder, random, ir::RandomUniformView::Input::shape, builder.integers({1}));
  return ir::reshape(builder, vector.value(), std::vector<std::int64_t>{});
}

}  // namespace

Workaround draw_scalars_as_vectors() {
  return {.name = "draw_scalars_as_vectors",
          .stage = Stage::imported,
          .summary = "Draws a vector of one number instead of a scalar",
          .rows = {row(Fault::scalar_random_numbers, {ops::RandomUniform}, affects<draws_scalar>,
                       replace<draw_as_vector>)}};
}

}  // namespace onnx2ir::passes
