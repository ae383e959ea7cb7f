// Prints a model as text IR. docs/text-ir.md describes the language; ir/text/parser.hpp reads it back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.hpp"
#include "ir/origins.hpp"

namespace onnx2ir::ir {

/// Constants that are too large for the text, which refers to them by offset and size in a weights file.
struct TextWeights {
  struct Block {
    ConstantData data;
    std::uint64_t offset;
  };
  std::vector<Block> blocks;  ///< in the order of the file
  std::uint64_t size = 0;     ///< of the file
};

/// The text of `model`. The content of the weights file is appended to `weights`.
std::string text(const Model& model, TextWeights& weights);
/// The same without the large constants.
std::string text(const Model& model);
/// With a hash for each large constant. The parser does not read it. If `origins` is given, each layer whose
/// origin is known has it in a comment. Throws Failure (unreadable_input).
std::string text_with_hashes(const Model& model, const Origins* origins = nullptr);

}  // namespace onnx2ir::ir
