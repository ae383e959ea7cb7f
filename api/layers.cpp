// Describes the layers of a model one by one.
#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include "api/model.hpp"
#include "ir/body_ports.hpp"
#include "ir/extension.hpp"
#include "ir/narrowing.hpp"
#include "json/json.hpp"
#include "onnx2ir/onnx2ir.hpp"

namespace onnx2ir {
namespace {

class Walk {
 public:
  explicit Walk(const LayerVisitor& visit) : visit_(&visit) {}

  /// Returns false if the visitor has stopped.
  bool graph(const ir::Graph& graph, const std::string& path) {
    for (const auto& node : graph.nodes()) {
      Layer layer;
      if (!bodies(*node, layer, path)) return false;
      layer.id = next_++;
      ids_.emplace(node.get(), layer.id);
      layer.graph = path;
      describe(*node, layer);
      if (!(*visit_)(layer)) return false;
    }
    return true;
  }

 private:
  void describe(const ir::Node& node, Layer& layer) const {
    layer.name = node.name;
    layer.type = ir::layer_type(node);
    layer.opset = ir::layer_version(node);
    ir::visit_layer_attributes(node, [&](std::string_view name, std::string_view value) {
      layer.attributes.emplace_back(name, value);
    });
    for (const ir::Value& input : node.inputs()) layer.inputs.push_back({ids_.at(input.node), input.index});
    for (const ir::Output& output : node.outputs()) layer.outputs.push_back(output_of(output));
    if (const ir::ConstantData* const data = node.constant())
      layer.constant = {data->written_size(), [data](std::uint64_t offset, std::span<std::byte> target) {
                          ir::copy_written(*data, offset, target);
                        }};
  }

  static LayerOutput output_of(const ir::Output& output) {
    LayerOutput result;
    result.element_type = ir::info(output.type).name;
    result.has_rank = output.shape.has_rank();
    for (const ir::Dimension& dimension : output.shape)
      result.dimensions.push_back({dimension.min, dimension.max, {}});
    result.names.assign(output.names.begin(), output.names.end());
    return result;
  }

  std::optional<std::uint64_t> id_of(const ir::Node* node) const {
    return node == nullptr ? std::nullopt : std::optional(ids_.at(node));
  }

  /// Visits the layers of the bodies of `node`, and describes how the bodies are connected.
  bool bodies(const ir::Node& node, Layer& layer, const std::string& path) {
    const std::string inner = path.empty() ? node.name + '/' : path + '/' + node.name + '/';
    for (ir::ConnectedBody& body : ir::connected_bodies(node)) {
      const std::string name = body.name_in_paths();
      if (!graph(*body.graph, inner + name)) return false;
      layer.bodies.push_back({name, described(body.ports)});
    }
    return true;
  }

  std::vector<BodyPort> described(std::vector<ir::Port>& ports) const {
    std::ranges::stable_sort(ports, {}, &ir::Port::kind);
    std::vector<BodyPort> result;
    for (const ir::Port& port : ports) {
      BodyPort& one = result.emplace_back();
      one.kind = static_cast<BodyPort::Kind>(port.kind);  // in the same order
      one.input = port.input;
      one.parameter = id_of(port.parameter);
      one.result = id_of(port.result);
      one.output = port.output;
      if (port.slices == nullptr) continue;
      one.axis = port.slices->axis;
      one.start = port.slices->start;
      one.end = port.slices->end;
      one.stride = port.slices->stride;
      one.part_size = port.slices->part_size;
    }
    return result;
  }

  const LayerVisitor* visit_;
  std::uint64_t next_ = 0;
  std::unordered_map<const ir::Node*, std::uint64_t> ids_;
};

template <typename Number>
void add_number(Json& json, const char* name, const std::optional<Number>& number) {
  if (number) json[name] = *number;
}

Json json_of(const LayerOutput& output) {
  const auto bounds = [](const PortDimension& one) { return Json{{"min", one.min}, {"max", one.max}}; };
  return {{"element_type", output.element_type},
          {"shape", output.has_rank ? json_list(output.dimensions, bounds) : Json()},
          {"names", output.names}};
}

Json json_of(const BodyPort& port) {
  constexpr std::array<const char*, 7> kKinds{"captured", "state",     "slice",    "scan",
                                              "result",   "iteration", "condition"};
  Json json{{"kind", kKinds[static_cast<std::size_t>(port.kind)]}};
  add_number(json, "input", port.input);
  add_number(json, "parameter", port.parameter);
  add_number(json, "result", port.result);
  add_number(json, "output", port.output);
  if (port.kind == BodyPort::Kind::slice || port.kind == BodyPort::Kind::scan)
    json.update({{"axis", port.axis},
                 {"start", port.start},
                 {"end", port.end},
                 {"stride", port.stride},
                 {"part_size", port.part_size}});
  return json;
}

}  // namespace

void Model::visit_layers(const LayerVisitor& visit) const {
  const auto copy = written(*implementation_);
  Walk(visit).graph(copy->graph, {});
}

std::string to_json(const Layer& layer) {
  Json json{{"id", layer.id},          {"name", layer.name},      {"type", layer.type},
            {"opset", layer.opset},    {"graph", layer.graph},    {"attributes", Json::object()},
            {"inputs", Json::array()}, {"outputs", Json::array()}};
  for (const auto& [name, value] : layer.attributes) json["attributes"][name] = value;
  for (const LayerInput& input : layer.inputs) json["inputs"].push_back({input.layer, input.output});
  for (const LayerOutput& output : layer.outputs) json["outputs"].push_back(json_of(output));
  if (layer.constant) json["constant_size"] = layer.constant->size;
  for (const LayerBody& body : layer.bodies) {
    Json ports = Json::array();
    for (const BodyPort& port : body.ports) ports.push_back(json_of(port));
    json["bodies"].push_back({{"name", body.name}, {"ports", std::move(ports)}});
  }
  return compact_text(json);
}

}  // namespace onnx2ir
