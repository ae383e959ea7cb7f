// Lists as text.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace onnx2ir::base {

/// The texts of the elements, with `separator` between them.
template <typename List, typename Text = std::identity>
std::string joined(const List& list, std::string_view separator, Text text = {}) {
  std::string all;
  bool is_first = true;
  for (const auto& element : list) {
    if (!is_first) all += separator;
    is_first = false;
    all += text(element);
  }
  return all;
}

}  // namespace onnx2ir::base
