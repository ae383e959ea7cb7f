// What a state is after a loop: its final value when the loop ran, else its initial value.
#pragma once

#include <cstdint>

#include "ir/builder.hpp"
#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// "All elements" for an end of Slice. Larger numbers do not survive the way of constants through f32.
inline constexpr std::int64_t kAllRows = std::int64_t{1} << 30U;

/// Chooses between final and initial values of one loop by whether it ran.
class FinalOrInitial {
 public:
  /// Emits nodes beside `loop`.
  explicit FinalOrInitial(ir::Node& loop);

  ir::Builder& builder() { return builder_; }
  /// A boolean scalar: whether the first iteration takes place.
  ir::Value ran();
  /// The loop's output `final` if it ran, else `initial`. What is not chosen may hold anything, in any size
  /// of its dynamic dimensions.
  ir::Value choose(ir::Value final, ir::Value initial);

 private:
  ir::Value one_if(bool ran);
  ir::Value joined(ir::Value final, ir::Value initial);
  ir::Value reshaped(ir::Value flat, ir::Value final, ir::Value initial);

  ir::Node* loop_;
  ir::Builder builder_;
  ir::Value ran_;
  ir::Value one_if_ran_;
  ir::Value one_if_not_;
};

}  // namespace onnx2ir::passes
