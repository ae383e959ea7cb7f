// Workaround for empty_part_before_others: if the axis after the joined one has size 1, a Concat of three or
// more parts copies elements of another part in place of an empty one, and writes outside of its memory.
// OpenVINO makes one Concat of a Concat of Concats. Concats of two parts are right (measured on 2024.6 to
// 2026.4); a copy between them keeps them apart.
#include <algorithm>
#include <utility>
#include <vector>

#include "ir/shape_tools.hpp"
#include "ir/views/joining.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether `part` is a Concat along `axis`, which OpenVINO makes a part of a Concat along this axis.
bool is_joined_along(ir::Value part, std::size_t axis) {
  const auto concat = ir::match<ir::ConcatView>(part);
  return concat && joined_axis(*concat) == axis;
}

/// Whether `part`, or a part of it, may be empty.
bool may_be_empty(ir::Value part, std::size_t axis) {
  const ir::Dimension size = part.shape()[axis];
  return size.admits(0) || (is_joined_along(part, axis) && !size.is_static());
}

/// The parts, of which Concats along the same axis are replaced by their own parts.
std::vector<ir::Value> joined_parts(ir::ConcatView concat, std::size_t axis) {
  std::vector<ir::Value> parts;
  for (const ir::Value part : concat.parts()) {
    if (is_joined_along(part, axis))
      parts.insert(parts.end(), part.node->inputs().begin(), part.node->inputs().end());
    else
      parts.push_back(part);
  }
  return parts;
}

bool has_empty_part_before_others(ir::ConcatView concat) {
  const ir::Output& output = concat.output(0);
  if (!output.shape.has_rank() || output.type == ir::ElementType::string) return false;
  const std::size_t axis = joined_axis(concat);
  if (axis + 1 == output.shape.rank() || !output.shape[axis + 1].admits(1)) return false;
  const std::vector<ir::Value> parts = joined_parts(concat, axis);
  return parts.size() > 2 && std::any_of(parts.begin(), parts.end() - 1,
                                         [&](ir::Value part) { return may_be_empty(part, axis); });
}

ir::Value join_in_pairs(ir::Builder& builder, ir::ConcatView concat) {
  const std::size_t axis = joined_axis(concat);
  const auto separate = [&](ir::Value part) {
    return is_joined_along(part, axis) ? copy_opaquely(builder, part) : part;
  };
  // In rounds, so that no part is copied more often than the logarithm of their number.
  std::vector<ir::Value> parts(concat.parts().begin(), concat.parts().end());
  while (parts.size() > 1) {
    std::vector<ir::Value> pairs;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
      const ir::Value first = separate(parts[i]);
      const ir::Value second = separate(parts[i + 1]);
      pairs.push_back(ir::concat(builder, {first, second}, concat.axis()));
    }
    if (parts.size() % 2 == 1) pairs.push_back(parts.back());
    parts = std::move(pairs);
  }
  return parts.front();
}

}  // namespace

Workaround separate_empty_parts() {
  return {.stage = Stage::kernels,
          .summary = "Joins parts that may be empty in pairs",
          .rows = {row<has_empty_part_before_others, join_in_pairs>(Fault::empty_part_before_others,
                                                                    {ops::Concat})}};
}

}  // namespace onnx2ir::passes
