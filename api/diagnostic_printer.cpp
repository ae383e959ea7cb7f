// Formats diagnostics as text for people and as JSON for tools.
#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "base/joined.hpp"
#include "json/json.hpp"
#include "onnx2ir/onnx2ir.hpp"

namespace onnx2ir {
namespace {

std::string_view name_of(Severity severity) {
  constexpr std::array<std::string_view, 3> kNames{"remark", "warning", "error"};
  return kNames.at(static_cast<std::size_t>(severity));
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

/// The names of a node's outputs; those that the node leaves out have none.
std::string names_of(std::vector<std::string> outputs) {
  std::erase(outputs, "");
  return base::joined(outputs, ", ");
}

/// Diagnostics that differ in their places only.
struct Group {
  const Diagnostic* first;
  std::vector<const Place*> places;
};

/// In the order of their first diagnostics.
std::vector<Group> groups_of(std::span<const Diagnostic> diagnostics) {
  using Key = std::tuple<Severity, DiagnosticCode, const std::string&, const std::string&,
                         const std::vector<std::string>&>;
  std::map<Key, std::size_t> known;
  std::vector<Group> groups;
  for (const Diagnostic& one : diagnostics) {
    const auto [found, is_new] =
        known.try_emplace(Key(one.severity, one.code, one.message, one.hint, one.notes), groups.size());
    if (is_new) groups.push_back({&one, {}});
    groups[found->second].places.push_back(&one.place);
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
  const bool is_one = group.places.size() == 1;
  const std::string separator = is_one ? "\n  " : ", ";
  std::string text = headline(group);
  for (const Place* place : group.places) {
    const std::string where = place_text(*place);
    if (!is_one || !where.empty()) text += "\n  at " + where;
    if (const std::string outputs = names_of(place->outputs); !outputs.empty())
      text.append(separator).append("outputs: ").append(outputs);
    if (!place->function_stack.empty())
      text.append(separator).append("inside functions: ").append(base::joined(place->function_stack, " > "));
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
  return base::joined(texts, "\n");
}

std::string to_string(const Diagnostic& diagnostic) {
  return group_text({&diagnostic, {&diagnostic.place}});
}

namespace {

Json json_of(const Place& place) {
  return {{"node_index", place.node_index}, {"opset", place.opset},
          {"graph", place.graph},           {"node_name", place.node_name},
          {"domain", place.domain},         {"op_type", place.op_type},
          {"outputs", place.outputs},       {"function_stack", place.function_stack}};
}

Json json_of(std::span<const Diagnostic> diagnostics) {
  return json_list(diagnostics, [](const Diagnostic& diagnostic) {
    Json json{{"severity", name_of(diagnostic.severity)},
              {"code", name_of(diagnostic.code)},
              {"message", diagnostic.message},
              {"place", json_of(diagnostic.place)},
              {"notes", diagnostic.notes},
              {"hint", diagnostic.hint}};
    if (diagnostic.system_error != 0) json["system_error"] = diagnostic.system_error;
    return json;
  });
}

Json json_of(const std::vector<Port>& ports) {
  return json_list(ports, [](const Port& port) -> Json {
    const auto bounds = [](const PortDimension& one) -> Json {
      return {{"min", one.min}, {"max", one.max}, {"name", one.name}};
    };
    return {{"name", port.name},
            {"element_type", port.element_type},
            {"shape", port.has_rank ? Json(port.shape) : Json()},
            {"dimensions", port.has_rank ? json_list(port.dimensions, bounds) : Json()}};
  });
}

}  // namespace

std::string to_json(std::span<const Diagnostic> diagnostics) {
  return indented_text(json_of(diagnostics));
}

std::string to_json(const Conversion& conversion) {
  const auto& model = conversion.model;
  return indented_text({{"inputs", model ? json_of(model->inputs()) : Json(nullptr)},
                        {"outputs", model ? json_of(model->outputs()) : Json(nullptr)},
                        {"diagnostics", json_of(conversion.diagnostics)}});
}

std::string to_json(std::span<const Difference> differences) {
  return indented_text(json_list(differences, [](const Difference& one) {
    Json json{{"place", one.place},
              {"what", one.what},
              {"before", one.before},
              {"after", one.after},
              {"text", one.text}};
    if (const auto& elements = one.elements)
      json["elements"] = {{"count", elements->count},
                          {"changed", elements->changed},
                          {"largest", elements->largest},
                          {"relative", elements->relative}};
    return json;
  }));
}

std::string json_string(std::string_view text) {
  return compact_text(text);
}

}  // namespace onnx2ir
