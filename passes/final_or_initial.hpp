// What a state is after a loop: its final value when the loop ran, else its initial value.
#pragma once

#include <cstdint>

#include "ir/control_flow.hpp"

namespace onnx2ir::passes {

/// "All elements" for an end of Slice. Larger numbers do not survive the way of constants through f32.
inline constexpr std::int64_t kAllRows = std::int64_t{1} << 30U;

/// A boolean scalar that says in a run whether the loop's first iteration takes place.
ir::Value whether_it_runs(ir::Builder& builder, ir::LoopView loop);
/// The same for a loop with this trip count and initial condition.
ir::Value whether_it_runs(ir::Builder& builder, ir::Value trip_count, ir::Value condition);
/// The scan output of a loop that does not run: no rows of the element's shape, whose dynamic sizes are 0, as
/// in onnxruntime.
ir::Value no_rows(ir::Builder& builder, const ir::Scan& scan);

/// Chooses between final and initial values of one loop by whether it ran.
class FinalOrInitial {
 public:
  /// Emits nodes beside `loop`.
  explicit FinalOrInitial(ir::LoopView loop) : loop_(loop), builder_(ir::builder_beside(loop.node())) {}

  ir::Builder& builder() { return builder_; }
  /// A boolean scalar: whether the first iteration takes place.
  ir::Value ran();
  /// The loop's output `final` if it ran, else `initial`. What is not chosen may hold anything, in any size
  /// of its dynamic dimensions. `keeps_shape`: after a run, `final` has the shape of `initial`.
  ir::Value choose(ir::Value final, ir::Value initial, bool keeps_shape = false);

 private:
  ir::Value one_if(bool ran);
  ir::Value joined(ir::Value final, ir::Value initial, bool keeps_shape);
  ir::Value reshaped(ir::Value flat, ir::Value final, ir::Value initial, bool keeps_shape);

  ir::LoopView loop_;
  ir::Builder builder_;
  ir::Value ran_;
  ir::Value one_if_ran_;
  ir::Value one_if_not_;
};

}  // namespace onnx2ir::passes
