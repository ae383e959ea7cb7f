// The table of all operator schemas of the ONNX library, which are created on demand. Generated at build
// time.
#pragma once

#include <onnx/defs/schema.h>

#include <span>
#include <string_view>

namespace onnx2ir::frontend {

struct SchemaRow {
  std::string_view set;   ///< the library's name for a group of domains: "Onnx", "OnnxML"
  std::string_view name;  ///< operator
  int since;              ///< the version it is valid from
  onnx::OpSchema (*make)();
};

/// Sorted by set, name and version.
std::span<const SchemaRow> schema_table();

}  // namespace onnx2ir::frontend
