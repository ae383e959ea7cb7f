// Convolutions and Col2Im with dynamic sizes and any number of axes, by gathering and by adding by index.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/small_vector.hpp"
#include "ir/builder.hpp"
#include "ir/checked_list.hpp"

namespace onnx2ir::ir {

/// How a window slides along the spatial axes.
struct WindowSteps {
  Integers strides;
  Integers dilations;
  Integers pads_begin;
  Integers pads_end;
  std::string auto_pad;  ///< "explicit", "same_upper", "same_lower", "valid"
};

/// A convolution whose filter has dynamic sizes: of Convolution, or [groups, ...] of GroupConvolution.
Value unfold_convolution(Builder& builder, Value input, Value filter, const WindowSteps& window,
                         bool is_grouped);

/// The same for a transposed convolution. `more` is output_padding. `output_shape` is empty if absent.
Value fold_convolution(Builder& builder, Value input, Value filter, const WindowSteps& window,
                       std::int64_t groups, const std::vector<std::int64_t>& more,
                       const std::vector<std::int64_t>& output_shape);

/// Col2Im: `columns` [N, C * kernel, places]; `sizes` and `kernel` are i64 [1] per axis.
Value fold_columns(Builder& builder, Value columns, const Values& sizes, const Values& kernel,
                   const WindowSteps& window);

}  // namespace onnx2ir::ir
