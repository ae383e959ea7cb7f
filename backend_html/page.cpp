#include "backend_html/page.hpp"

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/body_ports.hpp"
#include "ir/extension.hpp"
#include "ir/op_descriptor.hpp"
#include "ir/text/constants.hpp"
#include "ir/text/values.hpp"
#include "ir/views/extension.hpp"
#include "json/json.hpp"

namespace onnx2ir::backend_html {
namespace {

/// Whether a character of UTF-8 that began before goes on with this byte.
bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// Texts that many nodes share, numbered in the order of their first use.
class TextTable {
 public:
  std::size_t index_of(std::string_view text) {
    const auto [found, is_new] = indices_.try_emplace(std::string(text), texts_.size());
    if (is_new) texts_.emplace_back(text);
    return found->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string, std::size_t> indices_;
  std::vector<std::string> texts_;
};

Json pair(std::string_view first, std::string_view second) {
  return Json::array({page_text(first), page_text(second)});
}

Json pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
  return json_list(pairs, [](const auto& one) { return pair(one.first, one.second); });
}

/// The index of a node in its graph, which graph() has stored; -1 for null.
std::int64_t index_of(const ir::Node* node) {
  return node == nullptr ? -1 : node->scratch;
}

/// The ports of a body. A row is a list: see backend_html/viewer/model.js.
struct Ports {
  Json inputs = Json::array();
  Json outputs = Json::array();
  Json back_edges = Json::array();
};

Ports rows_of(const ir::ConnectedBody& body) {
  constexpr std::array<std::string_view, 5> kKinds{"captured", "state", "slice", "scan", "last"};
  Ports rows;
  for (const ir::Port& port : body.ports) {
    if (!port.input && !port.output) continue;
    std::string_view kind = kKinds.at(static_cast<std::size_t>(port.kind));
    if (body.is_branch() && port.output) kind = "output";
    Json slices = Json::array();
    if (const ir::Slices* const of = port.slices)
      slices = {of->axis, of->start, of->end, of->stride, of->part_size};
    const auto add = [&](Json& list, Json row) {
      row.insert(row.end(), slices.begin(), slices.end());
      list.push_back(std::move(row));
    };
    if (port.input) add(rows.inputs, {*port.input, index_of(port.parameter), kind});
    if (port.output) add(rows.outputs, {index_of(port.result), *port.output, kind});
    if (port.kind == ir::Port::Kind::state)
      rows.back_edges.push_back({index_of(port.result), index_of(port.parameter)});
  }
  return rows;
}

class Writer {
 public:
  std::string write(const ir::Model& model, const ir::Origins& origins, const Json& statistics) {
    origins_ = &origins;
    graph(model.graph);
    return page(model, statistics);
  }

  /// The name, options and provenance are those of `after`.
  std::string write(const Compared& before, const Compared& after,
                    const std::vector<ir::Difference>& differences) {
    for (const ir::Difference& one : differences) {
      for (const ir::Node* node : {one.node_before, one.node_after}) {
        if (node != nullptr) differences_[node].push_back(&one);
      }
    }
    graphs_.emplace_back();
    Json bodies = Json::array();
    for (const auto& [name, compared] : {std::pair("old", &before), std::pair("new", &after)}) {
      origins_ = compared->origins;
      bodies.push_back(body(name, graph(compared->model->graph), {}));
    }
    Json properties{{"bodies", std::move(bodies)}};
    graphs_.front() = compact_text(Json::array({operations_.index_of("Comparison"), "old and new",
                                                Json::array(), Json::array(), std::move(properties)}));
    return page(*after.model, nullptr);
  }

 private:
  /// The page with all graphs that are stored. They are texts already, because a graph of a million nodes
  /// takes much more memory as a value. backend_html/viewer/model.js describes the form of the data.
  std::string page(const ir::Model& model, const Json& statistics) const {
    const auto json_of = [](const ir::Emitter* one) -> Json {
      return {{"name", page_text(one->name)},
              {"summary", page_text(one->summary)},
              {"faults", pairs(one->faults)}};
    };
    const Json head{{"name", page_text(model.name)},
                    {"options", pairs(model.runtime_options)},
                    {"provenance", pairs(model.provenance)},
                    {"operations", json_list(operations_.texts(), page_text)},
                    {"types", json_list(types_.texts(), page_text)},
                    {"emitters", json_list(emitters_, json_of)},
                    {"statistics", statistics}};
    std::string json = compact_text(head);
    json.back() = ',';
    json += "\n\"graphs\":[";
    for (std::size_t i = 0; i < graphs_.size(); ++i) json += (i == 0 ? "[\n" : ",[\n") + graphs_[i] + ']';
    std::string text = std::string(kPageStart) + without_markup(json + "]}");
    for (const std::string_view part : kPageEnd) text += part;
    return text;
  }

  /// Stores the nodes of a graph and of the bodies in it. Returns the index of the graph.
  std::size_t graph(const ir::Graph& graph) {
    const std::size_t index = graphs_.size();
    graphs_.emplace_back();
    std::int64_t count = 0;
    for (const auto& node : graph.nodes()) node->scratch = count++;
    std::string nodes;
    for (const auto& one : graph.nodes()) {
      if (!nodes.empty()) nodes += ",\n";
      nodes += compact_text(node(*one));
    }
    graphs_[index] = std::move(nodes);
    return index;
  }

  Json node(const ir::Node& node) {
    Json inputs = Json::array();
    for (const ir::Value input : node.inputs()) {
      inputs.push_back(index_of(input.node));
      inputs.push_back(input.index);
    }
    Json types = Json::array();
    for (std::size_t i = 0; i < node.outputs().size(); ++i)
      types.push_back(types_.index_of(ir::type_with_size_names(*origins_, node, i)));
    Json row = Json::array({operations_.index_of(ir::layer_type(node)), page_text(node.name),
                            std::move(inputs), std::move(types)});
    Json properties = Json::object();
    attributes(properties, node);
    tensor_names(properties, node);
    if (const ir::ConstantData* data = node.constant()) {
      properties["value"] = page_text(constants_.summary(node.output(0), *data));
    } else {
      origin(properties, node);
    }
    node.marks.for_each([&](ir::Mark mark) { properties[std::string(ir::mark_name(mark))] = true; });
    changes(properties, node);
    bodies(properties, node);
    if (!properties.empty()) row.push_back(std::move(properties));
    return row;
  }

  static void attributes(Json& json, const ir::Node& node) {
    Json list;
    if (const auto extension = ir::match<ir::ExtensionOperationView>(node)) {
      list = json_list(extension->attributes(), [](const std::string& attribute) {
        const ir::ExtensionAttribute split = ir::split_extension_attribute(attribute);
        return pair(split.name, split.value);
      });
    } else {
      list = json_list(node.attributes(), [](const ir::Attribute& one) {
        return pair(one.name, ir::attribute_text(one.value));
      });
    }
    if (!list.empty()) json["attributes"] = std::move(list);
  }

  static void tensor_names(Json& json, const ir::Node& node) {
    Json list = Json::array();
    for (std::size_t i = 0; i < node.outputs().size(); ++i) {
      for (const std::string& name : node.output(i).names) list.push_back(Json::array({i, page_text(name)}));
    }
    if (!list.empty()) json["tensors"] = std::move(list);
  }

  void changes(Json& json, const ir::Node& node) const {
    const auto found = differences_.find(&node);
    if (found == differences_.end()) return;
    const ir::Difference& first = *found->second.front();
    json["change"] = first.node_before == nullptr  ? "added"
                     : first.node_after == nullptr ? "removed"
                                                   : "changed";
    json["differences"] = json_list(found->second, [](const ir::Difference* one) {
      return Json::array({page_text(one->what), page_text(one->before), page_text(one->after)});
    });
  }

  void origin(Json& json, const ir::Node& node) {
    if (const ir::Emitter* const emitter = ir::emitter_of(*origins_, node)) {
      const auto [found, is_new] = emitter_indices_.try_emplace(emitter, emitters_.size());
      if (is_new) emitters_.push_back(emitter);
      json["emitter"] = found->second;
    }
    if (const auto [operation, name] = ir::onnx_node_of(*origins_, node); !name.empty()) {
      json["onnx"] = Json::array({page_text(operation)});
      // Nearly all layers have the name of their ONNX node.
      if (name != node.name) json["onnx"].push_back(page_text(name));
    }
  }

  void bodies(Json& json, const ir::Node& node) {
    for (const ir::ConnectedBody& connected : ir::connected_bodies(node)) {
      const std::size_t index = graph(*connected.graph);
      Json& one = json["bodies"].emplace_back(body(connected.name, index, rows_of(connected)));
      if (const ir::LoopBody* const loop = node.loop()) {
        one["iteration"] = index_of(loop->iteration);
        one["condition"] = index_of(loop->condition);
      }
    }
  }

  static Json body(std::string_view name, std::size_t graph, Ports ports) {
    return {{"name", name},
            {"graph", graph},
            {"inputs", std::move(ports.inputs)},
            {"outputs", std::move(ports.outputs)},
            {"back_edges", std::move(ports.back_edges)}};
  }

  const ir::Origins* origins_ = nullptr;
  std::unordered_map<const ir::Node*, std::vector<const ir::Difference*>> differences_;
  ir::ConstantPrinter constants_{nullptr};
  std::vector<const ir::Emitter*> emitters_;  ///< those of the layers, in the order of their first use
  std::unordered_map<const ir::Emitter*, std::size_t> emitter_indices_;
  TextTable operations_;
  TextTable types_;
  std::vector<std::string> graphs_;
};

}  // namespace

std::string page_text(std::string_view text) {
  if (text.size() <= kMaxTextSize) return std::string(text);
  constexpr std::size_t kLongestCharacter = 4;
  std::size_t end = kMaxTextSize;
  while (end < kMaxTextSize + kLongestCharacter - 1 && end < text.size() && is_continuation(text[end])) ++end;
  if (end == text.size()) return std::string(text);
  return fmt::format("{}... ({} bytes)", text.substr(0, end), text.size());
}

std::string without_markup(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char letter : json) {
    if (letter == '<') {
      text += "\\u003c";
    } else {
      text += letter;
    }
  }
  return text;
}

std::string page(const ir::Model& model, const ir::Origins& origins, const Json& statistics) {
  return Writer().write(model, origins, statistics);
}

std::string comparison_page(const Compared& before, const Compared& after,
                            const std::vector<ir::Difference>& differences) {
  return Writer().write(before, after, differences);
}

}  // namespace onnx2ir::backend_html
