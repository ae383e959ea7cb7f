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
  for (const auto& element : list) {
    if (!all.empty()) all += separator;
    all += text(element);
  }
  return all;
}

}  // namespace onnx2ir::base
