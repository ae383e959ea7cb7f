// Notes on nodes: the reason why a node is correct, if the test of a fault cannot see it. Marks on nodes: a
// part of the IR, which OpenVINO reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/enum_set.hpp"

namespace onnx2ir::ir {

/// Facts about a node that the code that emitted it knows. The XML does not have notes.
enum class Note : std::uint8_t {
  keeps_seed,     ///< RandomUniform: its numbers may be those of another one without seeds
  known_to_run,   ///< Loop: its dynamic trip count is not 0, because an If or Loop around it has tested that
  may_be_folded,  ///< RandomUniform: its numbers may be drawn when the model is compiled
  not_empty,      ///< its input is not empty, because an If around it has tested that
  opaque_truth,   ///< it is true, but OpenVINO cannot fold it
  rounded,        ///< Convert: its input has only numbers that the type represents
  stacked,        ///< Tile, Unsqueeze, Gather: it repeats a value along a new axis
};

/// The names of the notes in text IR, in the order of the enumeration.
inline constexpr std::array<std::string_view, 7> kNoteNames = {
    "keeps_seed", "known_to_run", "may_be_folded", "not_empty", "opaque_truth", "rounded", "stacked"};

using NoteSet = base::EnumSet<Note, kNoteNames.size()>;

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
