#include "backend_html/graph_json.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backend_html/json_text.hpp"
#include "ir/extension.hpp"
#include "ir/op_descriptor.hpp"
#include "ir/text/constants.hpp"
#include "ir/text/values.hpp"
#include "ir/views/extension.hpp"

namespace onnx2ir::backend_html {
namespace {

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

/// Appends a list; `write` appends one element.
template <typename List, typename Write>
void append_list(std::string& json, const List& list, Write write) {
  json += '[';
  bool is_first = true;
  for (const auto& element : list) {
    if (!is_first) json += ',';
    is_first = false;
    write(element);
  }
  json += ']';
}

void append_texts(std::string& json, const std::vector<std::string>& texts) {
  append_list(json, texts, [&](const std::string& text) { append_json(json, text); });
}

void append_pairs(std::string& json, const std::vector<std::pair<std::string, std::string>>& pairs) {
  append_list(json, pairs, [&](const auto& pair) {
    json += '[';
    append_json(json, pair.first);
    json += ',';
    append_json(json, pair.second);
    json += ']';
  });
}

template <typename... Arguments>
void append(std::string& json, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(json), format, std::forward<Arguments>(arguments)...);
}

/// The index of a node in its graph, which graph() has stored; -1 for null.
std::int64_t index_of(const ir::Node* node) {
  return node == nullptr ? -1 : node->scratch;
}

/// ",axis,start,end,stride,part_size"
template <typename Slices>
std::string slices(const Slices& slices) {
  return fmt::format(",{},{},{},{},{}", slices.axis, slices.start, slices.end, slices.stride,
                     slices.part_size);
}

/// The ports of a body, each as a JSON list.
struct Ports {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> back_edges;

  void add_input(std::uint32_t input, const ir::Node* parameter, std::string_view kind,
                 const std::string& slices = {}) {
    inputs.push_back(fmt::format("[{},{},\"{}\"{}]", input, index_of(parameter), kind, slices));
  }
  void add_output(const ir::Node* result, std::size_t output, std::string_view kind,
                  const std::string& slices = {}) {
    outputs.push_back(fmt::format("[{},{},\"{}\"{}]", index_of(result), output, kind, slices));
  }
  void add_invariants(const ir::Body& body) {
    for (const ir::Invariant& invariant : body.invariants)
      add_input(invariant.input, invariant.parameter, "captured");
  }
};

Ports ports_of(const ir::LoopBody& loop) {
  Ports ports;
  for (const ir::Carried& state : loop.carried) {
    ports.add_input(state.input, state.parameter, "state");
    if (state.output) ports.add_output(state.result, *state.output, "state");
    ports.back_edges.push_back(fmt::format("[{},{}]", index_of(state.result), index_of(state.parameter)));
  }
  for (const ir::Sliced& sliced : loop.sliced)
    ports.add_input(sliced.input, sliced.parameter, "slice", slices(sliced));
  ports.add_invariants(loop);
  for (const ir::Scan& scan : loop.scans) ports.add_output(scan.result, scan.output, "scan", slices(scan));
  for (const ir::LastValue& last : loop.last_values) ports.add_output(last.result, last.output, "last");
  return ports;
}

Ports ports_of(const ir::Branch& branch) {
  Ports ports;
  ports.add_invariants(branch);
  for (std::size_t i = 0; i < branch.results.size(); ++i) ports.add_output(branch.results[i], i, "output");
  return ports;
}

class Writer {
 public:
  Writer() = default;
  explicit Writer(const ir::Origins& origins) : origins_(&origins) {}

  std::string write(const ir::Model& model) {
    graph(model.graph);
    return object(model);
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
    std::string node =
        "[\n[" + std::to_string(operations_.index_of("Comparison")) + ",\"old and new\",[],[],{\"bodies\":[";
    for (const auto& [name, compared] : {std::pair("old", &before), std::pair("new", &after)}) {
      origins_ = compared->origins;
      if (compared == &after) node += "},";
      body(node, name, graph(compared->model->graph), {});
    }
    graphs_.front() = node + "}]}]]";
    return object(*after.model);
  }

 private:
  /// The object of the page, after all graphs are stored.
  std::string object(const ir::Model& model) const {
    std::string json = "{\"name\":";
    append_json(json, model.name);
    json += ",\"options\":";
    append_pairs(json, model.runtime_options);
    json += ",\"provenance\":";
    append_pairs(json, model.provenance);
    json += ",\"operations\":";
    append_texts(json, operations_.texts());
    json += ",\"types\":";
    append_texts(json, types_.texts());
    json += ",\"emitters\":";
    append_list(json, emitters_, [&](const ir::Emitter* one) {
      json += "{\"name\":";
      append_json(json, one->name);
      json += ",\"summary\":";
      append_json(json, one->summary);
      json += ",\"faults\":";
      append_pairs(json, one->faults);
      json += '}';
    });
    json += ",\n\"graphs\":";
    append_list(json, graphs_, [&](const std::string& graph) { json += graph; });
    return json + '}';
  }

  /// Stores the nodes of a graph and of the bodies in it. Returns the index of the graph.
  std::size_t graph(const ir::Graph& graph) {
    const std::size_t index = graphs_.size();
    graphs_.emplace_back();
    std::int64_t count = 0;
    for (const auto& node : graph.nodes()) node->scratch = count++;
    std::string json;
    append_list(json, graph.nodes(), [&](const auto& one) {
      json += '\n';
      node(json, *one);
    });
    graphs_[index] = std::move(json);
    return index;
  }

  void node(std::string& json, const ir::Node& node) {
    append(json, "[{},", operations_.index_of(ir::layer_type(node)));
    append_json(json, node.name);
    json += ',';
    append_list(json, node.inputs(),
                [&](ir::Value input) { append(json, "{},{}", index_of(input.node), input.index); });
    json += ',';
    std::size_t index = 0;
    append_list(json, node.outputs(), [&](const ir::Output&) {
      append(json, "{}", types_.index_of(ir::type_with_size_names(*origins_, node, index++)));
    });
    std::string properties;
    attributes(properties, node);
    tensor_names(properties, node);
    if (const ir::ConstantData* data = node.constant()) {
      properties += ",\"value\":";
      append_json(properties, constants_.summary(node.output(0), *data));
    }
    if (node.is_decompression) properties += ",\"decompression\":true";
    if (node.constant() == nullptr) origin(properties, node);
    changes(properties, node);
    bodies(properties, node);
    if (!properties.empty()) {
      properties.front() = '{';
      json += ',' + properties + '}';
    }
    json += ']';
  }

  static void attributes(std::string& json, const ir::Node& node) {
    std::vector<std::pair<std::string, std::string>> texts;
    if (const auto extension = ir::match<ir::ExtensionOperationView>(node)) {
      for (const std::string& text : extension->attributes()) {
        const ir::ExtensionAttribute split = ir::split_extension_attribute(text);
        texts.emplace_back(split.name, split.value);
      }
    } else {
      for (const ir::Attribute& attribute : node.attributes())
        texts.emplace_back(attribute.name, ir::attribute_text(attribute.value));
    }
    if (texts.empty()) return;
    json += ",\"attributes\":";
    append_pairs(json, texts);
  }

  static void tensor_names(std::string& json, const ir::Node& node) {
    std::vector<std::pair<std::size_t, std::string_view>> names;
    for (std::size_t i = 0; i < node.outputs().size(); ++i) {
      for (const std::string& name : node.output(i).names) names.emplace_back(i, name);
    }
    if (names.empty()) return;
    json += ",\"tensors\":";
    append_list(json, names, [&](const auto& name) {
      append(json, "[{},", name.first);
      append_json(json, name.second);
      json += ']';
    });
  }

  void changes(std::string& json, const ir::Node& node) const {
    const auto found = differences_.find(&node);
    if (found == differences_.end()) return;
    const ir::Difference& first = *found->second.front();
    json += first.node_before == nullptr  ? ",\"change\":\"added\""
            : first.node_after == nullptr ? ",\"change\":\"removed\""
                                          : ",\"change\":\"changed\"";
    json += ",\"differences\":";
    append_list(json, found->second, [&](const ir::Difference* one) {
      json += '[';
      append_json(json, one->what);
      json += ',';
      append_json(json, one->before);
      json += ',';
      append_json(json, one->after);
      json += ']';
    });
  }

  void origin(std::string& json, const ir::Node& node) {
    if (const ir::Emitter* const emitter = ir::emitter_of(*origins_, node)) {
      const auto [found, is_new] = emitter_indices_.try_emplace(emitter, emitters_.size());
      if (is_new) emitters_.push_back(emitter);
      append(json, ",\"emitter\":{}", found->second);
    }
    if (const auto [operation, name] = ir::onnx_node_of(*origins_, node); !name.empty()) {
      json += ",\"onnx\":[";
      append_json(json, operation);
      // Nearly all layers have the name of their ONNX node.
      if (name != node.name) {
        json += ',';
        append_json(json, name);
      }
      json += ']';
    }
  }

  void bodies(std::string& json, const ir::Node& node) {
    if (const ir::LoopBody* loop = node.loop()) {
      json += ",\"bodies\":[";
      const std::size_t index = graph(*loop->graph);
      body(json, "body", index, ports_of(*loop));
      append(json, ",\"iteration\":{},\"condition\":{}}}]", index_of(loop->iteration),
             index_of(loop->condition));
    }
    if (const ir::IfBranches* branches = node.branches()) {
      json += ",\"bodies\":[";
      const std::size_t then_index = graph(*branches->then_branch.graph);
      body(json, "then", then_index, ports_of(branches->then_branch));
      json += "},";
      const std::size_t else_index = graph(*branches->else_branch.graph);
      body(json, "else", else_index, ports_of(branches->else_branch));
      json += "}]";
    }
  }

  /// Leaves the object open.
  static void body(std::string& json, std::string_view name, std::size_t graph, const Ports& ports) {
    append(json, "{{\"name\":\"{}\",\"graph\":{}", name, graph);
    const auto add = [&](std::string_view key, const std::vector<std::string>& lists) {
      append(json, ",\"{}\":", key);
      append_list(json, lists, [&](const std::string& list) { json += list; });
    };
    add("inputs", ports.inputs);
    add("outputs", ports.outputs);
    add("back_edges", ports.back_edges);
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

std::string graph_json(const ir::Model& model, const ir::Origins& origins) {
  return Writer(origins).write(model);
}

std::string comparison_json(const Compared& before, const Compared& after,
                            const std::vector<ir::Difference>& differences) {
  return Writer().write(before, after, differences);
}

}  // namespace onnx2ir::backend_html
