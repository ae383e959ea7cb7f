// The entry of the back end: writes a model to an XML file and a weights file, to functions, or to memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <onnx2ir/options.hpp>
#include <onnx2ir/result.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_file.hpp"
#include "ir/graph.hpp"

namespace onnx2ir::backend_xml {

/// What the user can do if a file must not be overwritten.
inline constexpr std::string_view kOtherOutput = "choose another name or folder for the output";

/// The reason why `xml` and `bin` cannot be the output of a model that was read from `inputs`: one of them is
/// an input, under any name, or is not a regular file, or both are the same file. No value if they can.
std::optional<std::string> output_problem(const std::filesystem::path& xml, const std::filesystem::path& bin,
                                          std::span<const base::Input> inputs);

/// Writes `model` to `xml` and its weights to `bin`. Both are published when both are complete, under a lock
/// that other writers respect. After a failure, the previous files are unchanged. Returns the reason:
/// cannot_write, unreadable_input or cancelled. `threads` convert large constants (0: as many as the machine
/// has); the result does not depend on it.
std::optional<Problem> write_files(const ir::Model& model, const std::filesystem::path& xml,
                                   const std::filesystem::path& bin, const SaveOptions& options,
                                   unsigned threads = 0);

/// Passes the weights to `bin`, and then the XML to `xml`, in pieces.
std::optional<Problem> write_streams(const ir::Model& model, const ByteSink& xml, const ByteSink& bin,
                                     const SaveOptions& options);

/// The XML of `model`, as write_files() writes it. Here and below: throws Failure (unreadable_input).
std::string xml_text(const ir::Model& model);
/// The weights of the XML as written by write_files(), in memory.
std::vector<std::byte> weights_bytes(const ir::Model& model);
/// Writes the weights to memory of the caller: `allocate` gets their size in bytes and returns the address.
void copy_weights(const ir::Model& model, const std::function<std::byte*(std::size_t size)>& allocate);

}  // namespace onnx2ir::backend_xml
