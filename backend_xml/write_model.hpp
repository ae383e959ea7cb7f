// The back end's entry: a model to an XML file and a weights file, or to memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::backend_xml {

/// Writes `model` to `xml` and its weights to `bin`. Both appear when both are complete. Returns why it
/// failed; then what was there before is untouched (but for a failure between the two renames, which replaces
/// `bin` only). Up to `threads` threads work on large constants (0: as many as the machine runs); the result
/// does not depend on their number.
std::optional<std::string> write_files(const ir::Model& model, const std::filesystem::path& xml,
                                       const std::filesystem::path& bin, unsigned threads = 0);

/// The XML of `model`, as write_files() writes it.
std::string xml_text(const ir::Model& model);
/// The weights that the XML refers to, as write_files() writes them, all in memory.
std::vector<std::byte> weights_bytes(const ir::Model& model);

}  // namespace onnx2ir::backend_xml
