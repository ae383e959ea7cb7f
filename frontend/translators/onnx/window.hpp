// The attributes of operators that slide a window: kernel, strides, dilations, pads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/translators/context.hpp"

namespace onnx2ir::frontend {

struct Window {
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> dilations;
  std::vector<std::int64_t> pads_begin;
  std::vector<std::int64_t> pads_end;
  std::string auto_pad;  ///< as the IR spells it: "explicit", "same_upper", "same_lower", "valid"
};

/// Reads the attributes for `spatial` axes; absent ones have their defaults. `kernel` may be empty when the
/// operator takes it from elsewhere.
Window window_of(NodeContext& node, std::int64_t spatial);

/// Replaces same_upper and same_lower by pads where the sizes of `input` are known.
void resolve_auto_pad(Window& window, Value input);

}  // namespace onnx2ir::frontend
