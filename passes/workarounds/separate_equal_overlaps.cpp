// Workaround for nms_equal_overlap: the threshold of a NonMaxSuppression becomes the next number above it, so
// that an overlap equal to the threshold is below it.
#include "ir/views/vision.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

constexpr double kNext = 1.0 + 0x1p-23;
constexpr double kLeast = 1e-30;

bool removes_equal_overlaps(ir::NonMaxSuppressionView suppression) {
  const auto is_next = [](ir::Value value) { return known_number(value) == static_cast<float>(kNext); };
  const auto is_least = [](ir::Value value) { return known_number(value) == static_cast<float>(kLeast); };
  return !matches(suppression.iou_threshold(),
                  commutative(ops::Maximum, commutative(ops::Multiply, any(), is_next), is_least));
}

void raise_threshold(ir::Builder& builder, ir::Node& node) {
  const ir::Value given = ir::NonMaxSuppressionView(node).iou_threshold();
  const ir::Value threshold = ir::convert(builder, given, ir::ElementType::f32);
  const ir::Value next = builder.op(ops::Multiply, {threshold, builder.number_like(kNext, threshold)});
  node.set_input(ir::NonMaxSuppressionView::Input::iou_threshold,
                 builder.op(ops::Maximum, {next, builder.number_like(kLeast, threshold)}));
}

}  // namespace

Workaround separate_equal_overlaps() {
  return {.stage = Stage::operations,
          .summary = "Raises the threshold of NonMaxSuppression to the next number",
          .rows = {row<removes_equal_overlaps, raise_threshold>(Fault::nms_equal_overlap,
                                                                {ops::NonMaxSuppression})}};
}

}  // namespace onnx2ir::passes
