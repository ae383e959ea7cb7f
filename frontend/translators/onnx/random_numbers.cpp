#include "frontend/translators/onnx/random_numbers.hpp"

namespace onnx2ir::frontend {
Value draw_uniform(Builder& builder, Value sizes, Seeds seeds) {
  const Value low = builder.number(0, ElementType::f32);
  const Value high = builder.number(1, ElementType::f32);
  return builder.op(ops::RandomUniform, {sizes, low, high},
                    {{"output_type", ElementType::f32},
                     {"global_seed", seeds.global},
                     {"op_seed", seeds.of_op},
                     {"alignment", "tensorflow"}});
}

Value draw_classes(Builder& builder, Value log_probabilities, Value samples, ElementType type, Seeds seeds) {
  return builder.op(ops::Multinomial, {log_probabilities, samples},
                    {{"convert_type", type},
                     {"with_replacement", true},
                     {"log_probs", true},
                     {"global_seed", seeds.global},
                     {"op_seed", seeds.of_op}});
}

}  // namespace onnx2ir::frontend
