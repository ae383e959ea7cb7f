// Translators of operators in libraries of the user: docs/extensions.md, include/onnx2ir/extension.h.
#pragma once

#include <onnx2ir/extension.h>

#include <filesystem>
#include <onnx2ir/diagnostic.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/mapping/versioned_table.hpp"

namespace onnx2ir::frontend {

/// A text of a library, which may have no data if it is empty.
inline std::string_view view(onnx2ir_text text) {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}
inline onnx2ir_text view(std::string_view text) {
  return {text.data(), text.size()};
}

struct ExtensionTranslator {
  std::string library;  ///< as the caller has named it
  onnx2ir_translate translate = nullptr;
  void* data = nullptr;
};

struct ExtensionTable {
  VersionedTable<ExtensionTranslator> translators;
};

/// Loads libraries, which stay loaded until the process ends. Reports an error for each one that cannot be
/// used, and returns no value if there is one.
std::optional<ExtensionTable> load_extensions(const std::vector<std::filesystem::path>& paths,
                                              DiagnosticSink& sink);

}  // namespace onnx2ir::frontend
