// An IR from the bytes of a fuzzer: XML or text IR, a zero byte, and the weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <onnx2ir/onnx2ir.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace onnx2ir::fuzz {

/// The XML and the weights; no weights without a zero byte.
struct Pair {
  std::string_view text;
  std::vector<std::byte> weights;
};
Pair pair_of(const std::uint8_t* data, std::size_t size);

/// The model; no value if it cannot be read. Ends the process if that has no reason.
std::optional<Model> given_model(const std::uint8_t* data, std::size_t size);

/// Ends the process with a message.
[[noreturn]] void fail(std::string_view what);

/// Ends the process if one of them is an internal error.
void check_diagnostics(const std::vector<Diagnostic>& diagnostics);

}  // namespace onnx2ir::fuzz
