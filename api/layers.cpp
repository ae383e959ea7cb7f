// Describes the layers of a model one by one.
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include "api/model.hpp"
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
  bool graph(ir::Graph& graph, const std::string& path) {
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
  bool bodies(ir::Node& node, Layer& layer, const std::string& path) {
    const std::string inner = path.empty() ? node.name + '/' : path + '/' + node.name + '/';
    if (ir::LoopBody* const loop = node.loop()) {
      if (!graph(*loop->graph, inner + "body")) return false;
      layer.bodies.push_back({"body", ports_of(*loop)});
    }
    if (ir::IfBranches* const branches = node.branches()) {
      if (!graph(*branches->then_branch.graph, inner + "then_branch")) return false;
      if (!graph(*branches->else_branch.graph, inner + "else_branch")) return false;
      layer.bodies.push_back({"then_branch", ports_of(branches->then_branch)});
      layer.bodies.push_back({"else_branch", ports_of(branches->else_branch)});
    }
    return true;
  }

  static BodyPort with_slices(BodyPort port, const ir::Slices& slices) {
    port.axis = slices.axis;
    port.start = slices.start;
    port.end = slices.end;
    port.stride = slices.stride;
    port.part_size = slices.part_size;
    return port;
  }

  std::vector<BodyPort> captured(const ir::Body& body) const {
    std::vector<BodyPort> ports;
    for (const ir::Invariant& one : body.invariants)
      ports.push_back({BodyPort::Kind::captured, one.input, id_of(one.parameter), {}, {}});
    return ports;
  }

  std::vector<BodyPort> ports_of(const ir::LoopBody& loop) const {
    using Kind = BodyPort::Kind;
    std::vector<BodyPort> ports = captured(loop);
    for (const ir::Carried& one : loop.carried)
      ports.push_back({Kind::state, one.input, id_of(one.parameter), id_of(one.result), one.output});
    for (const ir::Sliced& one : loop.sliced)
      ports.push_back(with_slices({Kind::slice, one.input, id_of(one.parameter), {}, {}}, one));
    for (const ir::Scan& one : loop.scans)
      ports.push_back(with_slices({Kind::scan, {}, {}, id_of(one.result), one.output}, one));
    for (const ir::LastValue& one : loop.last_values)
      ports.push_back({Kind::result, {}, {}, id_of(one.result), one.output});
    if (loop.iteration != nullptr) ports.push_back({Kind::iteration, {}, id_of(loop.iteration), {}, {}});
    ports.push_back({Kind::condition, {}, {}, id_of(loop.condition), {}});
    return ports;
  }

  std::vector<BodyPort> ports_of(const ir::Branch& branch) const {
    std::vector<BodyPort> ports = captured(branch);
    for (std::size_t i = 0; i < branch.results.size(); ++i)
      ports.push_back(
          {BodyPort::Kind::result, {}, {}, id_of(branch.results[i]), static_cast<std::uint32_t>(i)});
    return ports;
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
