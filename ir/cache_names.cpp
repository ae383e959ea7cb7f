#include "ir/cache_names.hpp"

#include <initializer_list>

namespace onnx2ir::ir {
namespace {

/// `name` with `*` for the first of `words` that it contains. Longer words come before their beginnings.
std::optional<std::string> without_word(std::string_view name,
                                        std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    const std::size_t at = name.find(word);
    if (at != std::string_view::npos) return std::string(name).replace(at, word.size(), "*");
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> key_of_past(std::string_view input) {
  return without_word(input, {"past_key_values", "past_key_value", "past", "input.cache"});
}

std::optional<std::string> key_of_present(std::string_view output) {
  return without_word(output, {"present_key_values", "present_key_value", "present", "output.cache"});
}

bool are_ends_of_a_cache(std::string_view input, std::string_view output) {
  const auto key = key_of_past(input);
  return key && key == key_of_present(output);
}

std::size_t batch_axis_of_cache(const PartialShape& shape) {
  return shape.rank() == 5 && shape[0] == Dimension(2) ? 1 : 0;
}

}  // namespace onnx2ir::ir
