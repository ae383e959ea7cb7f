// Reads text IR (docs/text-ir.md), the language that ir/text/printer.hpp prints.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

/// The reason why a text cannot be read. what() is one sentence without a position.
class TextError : public std::runtime_error {
 public:
  TextError(const std::string& message, std::size_t error_line, std::size_t error_column)
      : std::runtime_error(message), line(error_line), column(error_column) {}

  std::size_t line;    ///< counted from 1
  std::size_t column;  ///< counted from 1, in bytes
};

/// Parses a model. Large constants become views on `weights`, the content of the text's weights file. Throws
/// TextError for any text that is not valid IR: wrong inputs or attributes, types that differ from the
/// inferred ones, ports that do not fit their body.
std::unique_ptr<Model> parse_text(std::string_view text, const ConstantData& weights = {});

}  // namespace onnx2ir::ir
