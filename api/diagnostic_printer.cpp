// Formats diagnostics as text for people and as JSON for tools.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>

#include "ir/json_text.hpp"
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

void append_json_list(std::string& json, const std::vector<std::string>& strings) {
  json += '[';
  for (std::size_t i = 0; i < strings.size(); ++i) {
    if (i != 0) json += ", ";
    ir::append_json_string(json, strings[i]);
  }
  json += ']';
}

void append_field(std::string& json, std::string_view name, std::string_view text) {
  json += ", \"";
  json += name;
  json += "\": ";
  ir::append_json_string(json, text);
}

}  // namespace

namespace {

/// Diagnostics that differ in their places only.
struct Group {
  const Diagnostic* first;
  std::vector<const Place*> places;
};

/// In the order of their first diagnostics.
std::vector<Group> groups_of(std::span<const Diagnostic> diagnostics) {
  using Key = std::tuple<Severity, DiagnosticCode, std::string_view, std::string_view>;
  std::map<Key, std::vector<std::size_t>> known;
  std::vector<Group> groups;
  for (const Diagnostic& diagnostic : diagnostics) {
    auto& candidates = known[{diagnostic.severity, diagnostic.code, diagnostic.message, diagnostic.hint}];
    const auto found = std::ranges::find_if(
        candidates, [&](std::size_t index) { return groups[index].first->notes == diagnostic.notes; });
    if (found != candidates.end()) {
      groups[*found].places.push_back(&diagnostic.place);
    } else {
      candidates.push_back(groups.size());
      groups.push_back({&diagnostic, {&diagnostic.place}});
    }
  }
  return groups;
}

std::string headline(const Group& group) {
  std::string text(name_of(group.first->severity));
  text += ": " + group.first->message;
  if (group.places.size() > 1) text += ", " + std::to_string(group.places.size()) + " times";
  return text + " [" + std::string(name_of(group.first->code)) + ']';
}

std::string group_text(const Group& group) {
  if (group.places.size() == 1) return to_string(*group.first);
  std::string text = headline(group);
  for (const Place* place : group.places) {
    text += "\n  at " + place_text(*place);
    if (!place->outputs.empty()) text += ", outputs: " + join(place->outputs, ", ");
    if (!place->function_stack.empty()) text += ", inside functions: " + join(place->function_stack, " > ");
  }
  for (const std::string& note : group.first->notes) text += "\n  note: " + note;
  if (!group.first->hint.empty()) text += "\n  hint: " + group.first->hint;
  return text;
}

}  // namespace

std::string to_string(std::span<const Diagnostic> diagnostics) {
  const std::vector<Group> groups = groups_of(diagnostics);
  // Shorter lists need no summary.
  constexpr std::size_t kMaxWithoutSummary = 10;
  const bool has_repetitions = groups.size() < diagnostics.size();
  std::vector<std::string> texts;
  if (groups.size() > 1 && has_repetitions && diagnostics.size() > kMaxWithoutSummary) {
    for (const Group& group : groups) texts.push_back(headline(group));
    texts.emplace_back("in detail:");
  }
  for (const Group& group : groups) texts.push_back(group_text(group));
  return join(texts, "\n");
}

std::string to_string(const Diagnostic& diagnostic) {
  std::string text(name_of(diagnostic.severity));
  text += ": " + diagnostic.message + " [" + std::string(name_of(diagnostic.code)) + ']';
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
    append_field(json, "code", name_of(diagnostic.code));
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

namespace {

std::string ports_json(const std::vector<Port>& ports) {
  std::string json = "[";
  for (const Port& port : ports) {
    if (json.size() != 1) json += ", ";
    json += "{\"name\": " + json_string(port.name) + ", \"element_type\": " + json_string(port.element_type) +
            ", \"shape\": ";
    if (!port.has_rank) {
      json += "null, \"dimensions\": null}";
      continue;
    }
    std::vector<std::string> sizes;
    for (const std::int64_t size : port.shape) sizes.push_back(std::to_string(size));
    std::vector<std::string> dimensions;
    for (const PortDimension& dimension : port.dimensions)
      dimensions.push_back("{\"min\": " + std::to_string(dimension.min) +
                           ", \"max\": " + std::to_string(dimension.max) +
                           ", \"name\": " + json_string(dimension.name) + '}');
    json += '[' + join(sizes, ", ") + "], \"dimensions\": [" + join(dimensions, ", ") + "]}";
  }
  return json + ']';
}

}  // namespace

std::string to_json(const Conversion& conversion) {
  std::string json = "{\"inputs\": ";
  json += conversion.model ? ports_json(conversion.model->inputs()) : "null";
  json += ", \"outputs\": ";
  json += conversion.model ? ports_json(conversion.model->outputs()) : "null";
  return json + ", \"diagnostics\": " + to_json(conversion.diagnostics) + '}';
}

std::string to_json(std::span<const Difference> differences) {
  const auto number = [](double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.9g", value);
    return std::isfinite(value) ? std::string(text.data()) : std::string("null");
  };
  std::string json = "[";
  for (const Difference& one : differences) {
    json += json.size() == 1 ? "\n" : ",\n";
    json += "{\"place\": " + json_string(one.place);
    append_field(json, "what", one.what);
    append_field(json, "before", one.before);
    append_field(json, "after", one.after);
    append_field(json, "text", one.text);
    if (const auto& elements = one.elements)
      json += ", \"elements\": {\"count\": " + std::to_string(elements->count) +
              ", \"changed\": " + std::to_string(elements->changed) +
              ", \"largest\": " + number(elements->largest) +
              ", \"relative\": " + number(elements->relative) + '}';
    json += '}';
  }
  json += json.size() == 1 ? "]" : "\n]";
  return json;
}

std::string json_string(std::string_view text) {
  std::string json;
  ir::append_json_string(json, text);
  return json;
}

}  // namespace onnx2ir
