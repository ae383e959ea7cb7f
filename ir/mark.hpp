// Marks on nodes. They are a part of the IR, and OpenVINO reads them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/enum_set.hpp"

namespace onnx2ir::ir {

/// The attributes in the rt_info of a layer that OpenVINO's transformations and plugins read.
enum class Mark : std::uint8_t {
  decompression,  ///< Convert: it decompresses a constant, which the runtime may keep compressed
  precise         ///< the node computes in its element type, whatever the precision of the inference
};

/// The names of the marks in the XML and in text IR, in the order of the enumeration.
inline constexpr std::array<std::string_view, 2> kMarkNames = {"decompression", "precise"};

constexpr std::string_view mark_name(Mark mark) {
  return kMarkNames[static_cast<std::size_t>(mark)];
}

using MarkSet = base::EnumSet<Mark, kMarkNames.size()>;

}  // namespace onnx2ir::ir
