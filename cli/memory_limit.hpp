// The limit of memory of the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "onnx2ir/onnx2ir.hpp"

namespace onnx2ir::cli {

/// Limits the memory of the process to `most` bytes (--max-memory; 0: no limit), or by default to three
/// quarters of what is available to it, so that a command ends with an error before the system ends other
/// programs.
void limit_memory(std::optional<std::uint64_t> most);

/// Names the option in the errors of commands that had too little memory.
void add_memory_hints(const std::optional<std::uint64_t>& most, std::vector<Diagnostic>& diagnostics);

}  // namespace onnx2ir::cli
