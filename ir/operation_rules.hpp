// The rules of operations: dimensions that inference does not copy from an input, and elements of small
// integer tensors.
#pragma once

#include <cstddef>

#include "ir/size_rules.hpp"

namespace onnx2ir::ir {

/// The size along `axis` of an output of rank `rank`, computed from the inputs; null if no rule gives it.
Size computed_dimension(const Node& node, std::size_t output, std::size_t rank, std::size_t axis);

/// The `count` elements of an output, a small tensor of integers, computed from the inputs; null where no
/// rule gives them.
Sizes computed_elements(const Node& node, std::size_t output, std::size_t count);

/// The sizes of a Reshape of `data` to `pattern`.
class ReshapeSizes {
 public:
  ReshapeSizes(Value data, Value pattern, bool special_zero);
  /// The place of the -1.
  std::optional<std::size_t> inferred() const;
  /// Null if the size is not known.
  Size of(std::size_t axis) const;

 private:
  Size requested(std::size_t axis) const;
  Size remaining(std::size_t axis) const;

  Value data_;
  SizeTable& table_;
  bool special_zero_;
  Sizes elements_;
  KnownValues known_;
};

}  // namespace onnx2ir::ir
