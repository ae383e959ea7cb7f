// The documents that are part of the tool. cmake/manual.cmake lists them.
#pragma once

#include <span>
#include <string_view>

namespace onnx2ir::cli {

struct ManualTopic {
  std::string_view name;  ///< "extensions", of docs/extensions.md
  std::string_view text;  ///< Markdown
};

std::span<const ManualTopic> manual_topics();

}  // namespace onnx2ir::cli
