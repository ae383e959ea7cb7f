#include "frontend/reader/text_model.hpp"

#include <fmt/core.h>
#include <onnx/defs/parser.h>

#include <algorithm>
#include <stdexcept>

#include "frontend/reader/foreign_file.hpp"

namespace onnx2ir::frontend {
namespace {

/// The parser recurses into brackets; no real model nests them deeper.
constexpr int kMaxBracketDepth = 256;

bool nests_too_deep(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '(':
      case '[':
      case '{':
      case '<':
        if (++depth > kMaxBracketDepth) return true;
        break;
      case ')':
      case ']':
      case '}':
      case '>':
        if (depth > 0) --depth;
        break;
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i) {
          if (text[i] == '\\') ++i;
        }
        break;
      case '#':
        while (i < text.size() && text[i] != '\n') ++i;
        break;
      default:
        break;
    }
  }
  return false;
}

}  // namespace

bool is_text_model(const std::filesystem::path& path, std::string_view start) {
  const auto extension = path.extension();
  if (extension == ".onnxtxt" || extension == ".txt") return true;
  // A model in text form begins with '<', after blanks and comments. A serialized message cannot begin with
  // it, because it would be the end of a group. It could begin with a blank, so the text before the '<' must
  // be readable as well.
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (start[i] == '<') return true;
    if (start[i] == '#') {
      i = std::min(start.find('\n', i), start.size());
    } else if (start[i] != ' ' && start[i] != '\t' && start[i] != '\r' && start[i] != '\n') {
      return false;
    }
  }
  return false;
}

Result<std::string> serialize_text_model(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return unreadable_model("it contains a zero byte");
  if (nests_too_deep(text))
    return unreadable_model(fmt::format("its brackets are nested more than {} deep", kMaxBracketDepth));
  const std::string terminated(text);
  onnx::ModelProto model;
  try {
    onnx::OnnxParser parser(terminated.c_str());
    const auto status = parser.Parse(model);
    if (!status.IsOK()) return unreadable_model(status.ErrorMessage());
  } catch (const std::logic_error& error) {  // numbers out of range
    return unreadable_model(error.what());
  } catch (const std::runtime_error& error) {
    return unreadable_model(error.what());
  }
  std::string bytes;
  if (!model.SerializeToString(&bytes)) return unreadable_model("it is larger than 2 GiB");
  return bytes;
}

}  // namespace onnx2ir::frontend
