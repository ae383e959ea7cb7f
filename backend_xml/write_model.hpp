// The entry of the back end: writes a model to an XML file and a weights file, to functions, or to memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <onnx2ir/result.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend_xml/temporary_file.hpp"
#include "ir/graph.hpp"

namespace onnx2ir::backend_xml {

/// When write_files() waits until the files are on the disk: only if a file is replaced, always, or never.
enum class Sync : std::uint8_t { replaced, always, never };

struct WriteOptions {
  /// Threads that convert large constants (0: as many as the machine has). The result does not depend on it.
  unsigned threads = 0;
  Sync sync = Sync::replaced;
  TemporaryListener temporary;
  std::uint64_t max_xml_size = std::uint64_t{1} << 32U;
  /// See SaveOptions.
  std::function<void(std::string_view stage, double fraction)> progress = {};
  std::function<bool()> is_cancelled = {};
};

/// Writes `model` to `xml` and its weights to `bin`. Both are published when both are complete, under a lock
/// that other writers respect. After a failure, the previous files are unchanged. Returns the reason:
/// cannot_write, unreadable_input or cancelled.
std::optional<Problem> write_files(const ir::Model& model, const std::filesystem::path& xml,
                                   const std::filesystem::path& bin, const WriteOptions& options);

/// Receives bytes; returns false to end the writing.
using ByteSink = std::function<bool(std::span<const std::byte>)>;
/// Passes the weights to `bin`, and then the XML to `xml`, in pieces.
std::optional<Problem> write_streams(const ir::Model& model, const ByteSink& xml, const ByteSink& bin,
                                     const WriteOptions& options);

/// The XML of `model`, as write_files() writes it. Here and below: throws Failure (unreadable_input).
std::string xml_text(const ir::Model& model);
/// The weights of the XML as written by write_files(), in memory.
std::vector<std::byte> weights_bytes(const ir::Model& model);
/// Writes the weights to memory of the caller: `allocate` gets their size in bytes and returns the address.
void copy_weights(const ir::Model& model, const std::function<std::byte*(std::size_t size)>& allocate);

}  // namespace onnx2ir::backend_xml
