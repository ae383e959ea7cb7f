// Diagnostics as text for people and as JSON for tools.
#include <array>
#include <cstdio>

#include "onnx2ir/onnx2ir.hpp"

namespace onnx2ir {
namespace {

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::remark:
      return "remark";
    case Severity::warning:
      return "warning";
    case Severity::error:
      break;
  }
  return "error";
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

/// "main/loop_3.body, node 4 'gate' (Add, opset 13)"
std::string place_text(const Place& place) {
  std::string text = place.graph;
  if (place.node_index >= 0) {
    text += (text.empty() ? "node " : ", node ") + std::to_string(place.node_index);
    if (!place.node_name.empty()) text += " '" + place.node_name + "'";
  }
  if (!place.op_type.empty()) {
    text += " (" + (place.domain.empty() ? std::string() : place.domain + '.') + place.op_type;
    if (place.opset >= 0) text += ", opset " + std::to_string(place.opset);
    text += ')';
  }
  return text;
}

void append_json_string(std::string& json, std::string_view text) {
  json += '"';
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      json += '\\';
      json += letter;
    } else if (code < 0x20) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(code));
      json += escape.data();
    } else {
      json += letter;
    }
  }
  json += '"';
}

void append_json_list(std::string& json, const std::vector<std::string>& strings) {
  json += '[';
  for (std::size_t i = 0; i < strings.size(); ++i) {
    if (i != 0) json += ", ";
    append_json_string(json, strings[i]);
  }
  json += ']';
}

void append_field(std::string& json, std::string_view name, std::string_view text) {
  json += ", \"";
  json += name;
  json += "\": ";
  append_json_string(json, text);
}

}  // namespace

std::string to_string(const Diagnostic& diagnostic) {
  std::string text(name_of(diagnostic.severity));
  text += ": " + diagnostic.message + " [" + diagnostic.code + ']';
  const Place& place = diagnostic.place;
  if (const std::string where = place_text(place); !where.empty()) text += "\n  at " + where;
  if (!place.outputs.empty()) text += "\n  outputs: " + join(place.outputs, ", ");
  if (!place.function_stack.empty()) text += "\n  inside functions: " + join(place.function_stack, " > ");
  for (const std::string& note : diagnostic.notes) text += "\n  note: " + note;
  if (!diagnostic.hint.empty()) text += "\n  hint: " + diagnostic.hint;
  return text;
}

std::string to_json(std::span<const Diagnostic> diagnostics) {
  std::string json = "[";
  for (const Diagnostic& diagnostic : diagnostics) {
    json += json.size() == 1 ? "\n" : ",\n";
    json += "{\"severity\": \"" + std::string(name_of(diagnostic.severity)) + '"';
    append_field(json, "code", diagnostic.code);
    append_field(json, "message", diagnostic.message);
    const Place& place = diagnostic.place;
    json += ", \"place\": {\"node_index\": " + std::to_string(place.node_index) +
            ", \"opset\": " + std::to_string(place.opset);
    append_field(json, "graph", place.graph);
    append_field(json, "node_name", place.node_name);
    append_field(json, "domain", place.domain);
    append_field(json, "op_type", place.op_type);
    json += ", \"outputs\": ";
    append_json_list(json, place.outputs);
    json += ", \"function_stack\": ";
    append_json_list(json, place.function_stack);
    json += "}, \"notes\": ";
    append_json_list(json, diagnostic.notes);
    append_field(json, "hint", diagnostic.hint);
    json += '}';
  }
  json += json.size() == 1 ? "]" : "\n]";
  return json;
}

}  // namespace onnx2ir
