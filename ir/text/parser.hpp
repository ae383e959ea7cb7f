// Reads text IR (docs/text-ir.md), the language that ir/text/printer.hpp prints.
#pragma once

#include <memory>
#include <string_view>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

/// Parses a model. Large constants become views on `weights`, the content of the text's weights file. Throws
/// Failure (unreadable_ir), with the position, for any text that is not valid IR: wrong inputs or attributes,
/// types that differ from the inferred ones, ports that do not fit their body.
std::unique_ptr<Model> parse_text(std::string_view text, const ConstantData& weights = {});

}  // namespace onnx2ir::ir
