// Workaround for scalar_random_numbers: a RandomUniform of a scalar draws a vector of one number.
#include <array>
#include <vector>

#include "ir/shape_tools.hpp"
#include "ir/views/random.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

bool draws_scalar(ir::RandomUniformView random) {
  return random.shape().shape().element_count() == 0;
}

ir::Value drawn_as_vector(ir::Builder& builder, ir::RandomUniformView random) {
  const std::array inputs{builder.integers({1}), random.low(), random.high()};
  return ir::reshape(builder, builder.clone(random, inputs).value(), std::vector<std::int64_t>{});
}

}  // namespace

Workaround draw_scalars_as_vectors() {
  return {.name = "draw_scalars_as_vectors",
          .stage = Stage::imported,
          .summary = "Draws a vector of one number instead of a scalar",
          .rows = {LegalizationRow{Fault::scalar_random_numbers,
                                   {ops::RandomUniform},
                                   affects<draws_scalar>,
                                   replace<drawn_as_vector>}}};
}

}  // namespace onnx2ir::passes
