// The value of a state after a loop: its final value if the loop ran, otherwise its initial value.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/control_flow.hpp"

namespace onnx2ir::passes {

/// "To the end" as the end of a Slice. OpenVINO passes constants through f32, which changes larger numbers.
inline constexpr std::int64_t kAllRows = std::int64_t{1} << 30U;

/// A boolean scalar: whether the loop runs its first iteration.
ir::Value emit_first_iteration_condition(ir::Builder& builder, ir::LoopView loop);
/// The same for a loop with this trip count and initial condition.
ir::Value emit_first_iteration_condition(ir::Builder& builder, ir::Value trip_count, ir::Value condition);
/// The trip count if `condition` is a part of such a boolean: whether the trip count is not 0. Null
/// otherwise.
ir::Value tested_trip_count(ir::Value condition);
/// The scan output of a zero-iteration loop: no rows. Dynamic sizes of a row are 0, as in onnxruntime.
ir::Value emit_empty_scan_output(ir::Builder& builder, const ir::Scan& scan);

/// The values between which FinalOrInitial::choose() chooses.
struct FinalAndInitial {
  ir::Value final;
  ir::Value initial;
};
/// The two values if `node` is the Concat that chooses between values of dynamic size.
std::optional<FinalAndInitial> joined_values(const ir::Node& node);

/// Selects between final and initial values of one loop.
class FinalOrInitial {
 public:
  /// Emits nodes beside `loop`.
  explicit FinalOrInitial(ir::LoopView loop) : loop_(loop), builder_(ir::builder_beside(loop.node())) {}

  ir::Builder& builder() { return builder_; }
  /// A boolean scalar: whether the first iteration takes place.
  ir::Value emit_ran();
  /// The loop's output `final` if it ran, otherwise `initial`. The value that is not selected may have any
  /// elements, and any size in its dynamic dimensions. `keeps_shape`: if the loop ran, `final` has the shape
  /// of `initial`.
  ir::Value choose(ir::Value final, ir::Value initial, bool keeps_shape = false);

 private:
  ir::Value join(ir::Value final, ir::Value initial, bool keeps_shape);
  ir::Value reshape_joined(ir::Value joined, ir::Value final, ir::Value initial, bool keeps_shape);

  ir::LoopView loop_;
  ir::Builder builder_;
  ir::Value ran_;
};

}  // namespace onnx2ir::passes
