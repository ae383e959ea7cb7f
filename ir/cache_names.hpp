// The names by which exporters mark the ends of a language model's caches: the input `past*` and the output
// `present*` of a layer differ in this word only, for example `past_key_values.0.key` and `present.0.key`.
// The exporter of transformers 5 writes `input.cache.layers.0.keys` and `output.cache.layers.0.keys`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "ir/partial_shape.hpp"

namespace onnx2ir::ir {

/// `input` with `*` for its word `past_key_values`, `past_key_value`, `past` or `input.cache`; no value if it
/// has none.
std::optional<std::string> key_of_past(std::string_view input);

/// The same for an output and `present_key_values`, `present_key_value`, `present` or `output.cache`.
std::optional<std::string> key_of_present(std::string_view output);

/// Whether the names belong to the same cache: both have a key, and the keys are equal.
bool are_ends_of_a_cache(std::string_view input, std::string_view output);

/// The batch axis of a cache. Exports of GPT-2 have keys and values in one tensor [2, batch, heads, length,
/// size]; otherwise the batch is the first axis.
std::size_t batch_axis_of_cache(const PartialShape& shape);

}  // namespace onnx2ir::ir
