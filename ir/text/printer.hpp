// Prints a model as text IR. docs/text-ir.md describes the language; ir/text/parser.hpp reads it back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

/// Constants that are too large for the text. The text names the offset and the size of each in a weights
/// file.
struct TextWeights {
  struct Block {
    ConstantData data;
    std::uint64_t offset;
  };
  std::vector<Block> blocks;  ///< in the order of the file
  std::uint64_t size = 0;     ///< of the file
};

/// The text of `model`. What the weights file of the text has to hold is appended to `weights`.
std::string text(const Model& model, TextWeights& weights);
/// The same for a reader who does not need the large constants.
std::string text(const Model& model);

}  // namespace onnx2ir::ir
