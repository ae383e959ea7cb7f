#include "backend_xml/xml_reader.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <unordered_map>
#include <utility>

#include "backend_xml/check_pair.hpp"
#include "backend_xml/layer_order.hpp"
#include "backend_xml/weights_layout.hpp"
#include "backend_xml/xml_values.hpp"
#include "backend_xml/xml_writer.hpp"
#include "ir/extension.hpp"
#include "ir/inference.hpp"
#include "ir/op_descriptor.hpp"
#include "ir/verifier.hpp"

namespace onnx2ir::backend_xml {
namespace {

using Id = std::int64_t;
constexpr int kDeepest = 200;

using WeightsLookup = std::function<ir::ConstantData(std::uint64_t offset, std::uint64_t size)>;

using Ports = std::vector<pugi::xml_node>;

Ports ports_of(pugi::xml_node layer, const char* side) {
  Ports ports;
  for (const pugi::xml_node port : layer.child(side).children("port")) ports.push_back(port);
  return ports;
}

std::uint32_t index_of_port(const Ports& ports, Id id) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (required_id(ports[i], "id") == id) return static_cast<std::uint32_t>(i);
  }
  refuse("no port {}", id);
}

void check_port(pugi::xml_node port, ir::ElementType type, const ir::PartialShape& shape) {
  const std::string_view precision = required_text(port, "precision");
  if (precision != ir::info(type).precision) {
    refuse("a port has the precision {}, its value {}", precision, ir::info(type).precision);
  }
  std::string written = port.child("rank") ? "..." : "";
  std::string inferred = shape.has_rank() ? "" : "...";
  for (const pugi::xml_node dim : port.children("dim")) written += std::string(dim.text().get()) + ',';
  if (shape.has_rank()) {
    for (const ir::Dimension& dimension : shape) inferred += std::to_string(dimension.size()) + ',';
  }
  if (written != inferred) refuse("a port has the shape {}, its value {}", written, inferred);
}

class Reader {
 public:
  explicit Reader(const WeightsLookup& weights) : weights_(&weights) {}

  using Layers = std::unordered_map<Id, ir::Node*>;

  /// Reads the <layers> and <edges> of `element` into `graph`.
  Layers graph(pugi::xml_node element, ir::Graph& graph) {
    if (++depth_ > kDeepest) refuse("bodies are nested more than {} deep", kDeepest);
    const Edges sources = edges_of(element);
    Layers layers;
    std::unordered_map<Id, Ports> outputs;
    for (const pugi::xml_node layer : layers_in_order(element, sources)) {
      const Id id = required_id(layer, "id");
      std::vector<ir::Value> inputs;
      for (const pugi::xml_node port : ports_of(layer, "input")) {
        const auto source = sources.find({id, required_id(port, "id")});
        if (source == sources.end()) refuse("an input of layer {} is not connected", id);
        const auto from = layers.find(source->second.first);
        if (from == layers.end()) refuse("layer {} has an input from a layer that does not exist", id);
        inputs.push_back({from->second, index_of_port(outputs[source->second.first], source->second.second)});
      }
      outputs[id] = ports_of(layer, "output");
      if (!layers.emplace(id, &node(layer, graph, inputs, outputs[id])).second) refuse("layer {} twice", id);
    }
    --depth_;
    return layers;
  }

 private:
  ir::Node& node(pugi::xml_node layer, ir::Graph& graph, const std::vector<ir::Value>& inputs,
                 const Ports& outputs) {
    const std::string_view type = required_text(layer, "type");
    const std::string_view version = required_text(layer, "version");
    if (version == ir::kExtensionOpset) return extension(layer, graph, inputs, outputs);
    const ir::OpDescriptor* op = ir::find_op_or_null(type);
    if (op == nullptr || op->id == ops::ExtensionOperation)
      refuse("there is no operation {} of {}", type, version);
    const auto count = static_cast<int>(inputs.size());
    const bool is_variadic = op->max_inputs == ir::OpDescriptor::kVariadic;
    if (count < op->min_inputs || (!is_variadic && count > op->max_inputs))
      refuse("{} with {} inputs", type, count);
    const std::size_t expected =
        op->outputs == ir::OpDescriptor::kVariadic ? outputs.size() : static_cast<std::size_t>(op->outputs);
    ir::Node& node = graph.add(*op, inputs, expected);
    node.name = layer.attribute("name").value();
    node.is_decompression =
        !layer.child("rt_info").find_child_by_attribute("attribute", "name", "decompression").empty();
    attributes(layer, node);
    if (!ir::is_version(node, version))
      refuse("there is no operation {} of {} with these attributes", type, version);
    if (node.is(ops::Const) || node.is(ops::Parameter)) declare(layer.child("data"), node);
    if (node.is(ops::Const)) node.set_payload(constant(layer, node.output(0)));
    if (node.is(ops::Loop)) node.set_payload(loop(layer, graph));
    if (node.is(ops::If)) node.set_payload(branches(layer, graph, node.outputs().size()));
    infer(node);
    if (node.is(ops::Result)) return node;
    if (outputs.size() != expected) refuse("{} has {} outputs, not {}", type, expected, outputs.size());
    for (std::size_t i = 0; i < expected; ++i) {
      check_port(outputs[i], node.output(i).type, node.output(i).shape);
      node.output(i).names = parse_names(outputs[i].attribute("names").value());
    }
    return node;
  }

  static void infer(ir::Node& node) {
    try {
      ir::infer(node);
    } catch (const ir::InvalidNode& reason) {
      refuse("layer '{}': {}", node.name, reason.what());
    }
  }

  /// A layer of an extension: its ports give the types and shapes of its outputs.
  static ir::Node& extension(pugi::xml_node layer, ir::Graph& graph, const std::vector<ir::Value>& inputs,
                             const Ports& outputs) {
    std::vector<std::string> texts;
    for (const pugi::xml_attribute attribute : layer.child("data").attributes())
      texts.push_back(fmt::format("{}={}", attribute.name(), attribute.value()));
    std::vector<ir::ExtensionOutput> types;
    for (const pugi::xml_node port : outputs) types.push_back(parse_port(port));
    ir::Node& node = graph.add(ir::find_op(ops::ExtensionOperation), inputs, outputs.size());
    node.name = layer.attribute("name").value();
    for (ir::Attribute& attribute :
         ir::extension_attributes(std::string(required_text(layer, "type")), std::move(texts), types)) {
      node.set_attribute(attribute.name, std::move(attribute.value));
    }
    infer(node);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      node.output(i).names = parse_names(outputs[i].attribute("names").value());
    return node;
  }

  static void attributes(pugi::xml_node layer, ir::Node& node) {
    const pugi::xml_node data = layer.child("data");
    for (const ir::AttributeSpec& spec : node.op().attributes) {
      if (spec.presence == ir::AttributeSpec::Presence::note) continue;
      const pugi::xml_attribute attribute = data.attribute(std::string(spec.name).c_str());
      if (attribute) {
        node.set_attribute(spec.name, parse_attribute(attribute.value(), spec.kind));
      } else if (spec.presence == ir::AttributeSpec::Presence::required) {
        refuse("{} without attribute {}", node.op().name, spec.name);
      }
    }
  }

  static void declare(pugi::xml_node data, ir::Node& node) {
    const std::string_view type_name = required_text(data, "element_type");
    const auto type = ir::element_type_from_name(type_name);
    if (!type) refuse("'{}' is not an element type", type_name);
    ir::set_output(node, 0, *type, parse_shape(required_text(data, "shape")));
  }

  ir::ConstantData constant(pugi::xml_node layer, const ir::Output& output) const {
    const pugi::xml_node data = layer.child("data");
    const auto offset = parse_number<std::uint64_t>(required_text(data, "offset"));
    const auto size = parse_number<std::uint64_t>(required_text(data, "size"));
    const auto count = output.shape.element_count();
    if (!count) refuse("the shape of a constant must be static");
    const auto needed = ir::packed_size(output.type, static_cast<std::uint64_t>(*count));
    if (ir::info(output.type).bits != 0 && needed != size)
      refuse("a constant of {} bytes does not fit its type", size);
    return (*weights_)(offset, size);
  }

  static ir::Node* layer_of(const Layers& layers, pugi::xml_node element, const char* name, ir::Op type) {
    const auto found = layers.find(required_id(element, name));
    if (found == layers.end() || !found->second->is(type)) refuse("{} names no {}", name, ir::name_of(type));
    return found->second;
  }

  ir::LoopBody loop(pugi::xml_node layer, const ir::Graph& outer) {
    ir::LoopBody body;
    body.graph = outer.make_body();
    const Layers layers = graph(layer.child("body"), *body.graph);
    std::unordered_map<const ir::Node*, ir::Node*> results;  // by the Parameter of their back edge
    for (const pugi::xml_node edge : layer.child("back_edges").children("edge")) {
      ir::Node* parameter = layer_of(layers, edge, "to-layer", ops::Parameter);
      results[parameter] = layer_of(layers, edge, "from-layer", ops::Result);
    }
    const Ports inputs = ports_of(layer, "input");
    for (const pugi::xml_node mapped : layer.child("port_map").children("input")) {
      ir::Node* parameter = layer_of(layers, mapped, "internal_layer_id", ops::Parameter);
      if (std::string_view(mapped.attribute("purpose").value()) == "current_iteration") {
        body.iteration = parameter;
        continue;
      }
      const std::uint32_t input = index_of_port(inputs, required_id(mapped, "external_port_id"));
      if (const auto state = results.find(parameter); state != results.end()) {
        // As in OpenVINO, outputs have the shapes of the Results; guards for zero iterations are operations
        // in the IR.
        body.carried.push_back({input, parameter, state->second, std::nullopt, true});
      } else if (mapped.attribute("axis")) {
        ir::Sliced& sliced = body.sliced.emplace_back(ir::Sliced{input, parameter, 0});
        slices(mapped, sliced);
      } else {
        body.invariants.push_back({input, parameter});
      }
    }
    const Ports outputs = ports_of(layer, "output");
    for (const pugi::xml_node mapped : layer.child("port_map").children("output")) {
      ir::Node* result = layer_of(layers, mapped, "internal_layer_id", ops::Result);
      if (std::string_view(mapped.attribute("purpose").value()) == "execution_condition") {
        body.condition = result;
        continue;
      }
      const std::uint32_t output = index_of_port(outputs, required_id(mapped, "external_port_id"));
      if (mapped.attribute("axis")) {
        slices(mapped, body.scans.emplace_back(ir::Scan{result, output}));
        continue;
      }
      const auto state = std::ranges::find_if(body.carried, [&](const ir::Carried& carried) {
        return carried.result == result && !carried.output;
      });
      if (state != body.carried.end()) {
        state->output = output;
      } else {
        body.last_values.push_back({result, output});
      }
    }
    if (body.condition == nullptr) refuse("a Loop has no execution condition");
    return body;
  }

  template <typename Slices>
  static void slices(pugi::xml_node mapped, Slices& slices) {
    slices.axis = required_id(mapped, "axis");
    slices.start = required_id(mapped, "start");
    slices.end = required_id(mapped, "end");
    slices.stride = required_id(mapped, "stride");
    slices.part_size = required_id(mapped, "part_size");
  }

  ir::IfBranches branches(pugi::xml_node layer, const ir::Graph& outer, std::size_t outputs) {
    return {branch(layer, "then", outer, outputs), branch(layer, "else", outer, outputs)};
  }

  ir::Branch branch(pugi::xml_node layer, const std::string& prefix, const ir::Graph& outer,
                    std::size_t count) {
    ir::Branch branch;
    branch.graph = outer.make_body();
    const Layers layers = graph(layer.child((prefix + "_body").c_str()), *branch.graph);
    const pugi::xml_node map = layer.child((prefix + "_port_map").c_str());
    const Ports inputs = ports_of(layer, "input");
    for (const pugi::xml_node mapped : map.children("input")) {
      branch.invariants.push_back({index_of_port(inputs, required_id(mapped, "external_port_id")),
                                   layer_of(layers, mapped, "internal_layer_id", ops::Parameter)});
    }
    const Ports outputs = ports_of(layer, "output");
    branch.results.resize(count);
    for (const pugi::xml_node mapped : map.children("output")) {
      branch.results[index_of_port(outputs, required_id(mapped, "external_port_id"))] =
          layer_of(layers, mapped, "internal_layer_id", ops::Result);
    }
    if (std::ranges::find(branch.results, nullptr) != branch.results.end()) {
      refuse("a branch of an If does not have all outputs");
    }
    return branch;
  }

  const WeightsLookup* weights_;
  int depth_ = 0;
};

/// Parses `xml` and checks the version.
pugi::xml_node read_net(std::string_view xml, pugi::xml_document& document) {
  // Do not normalise attributes: spaces are part of names.
  const auto parsed =
      document.load_buffer(xml.data(), xml.size(), pugi::parse_default & ~pugi::parse_wconv_attribute);
  if (!parsed) refuse("no XML: {} at byte {}", parsed.description(), parsed.offset);
  const pugi::xml_node net = document.child("net");
  if (required_text(net, "version") != "11")
    refuse("the IR has version {} instead of 11", net.attribute("version").value());
  return net;
}

std::unique_ptr<ir::Model> read_model(pugi::xml_node net, const WeightsLookup& weights) {
  auto model = std::make_unique<ir::Model>();
  model->name = net.attribute("name").value();
  // Text between elements is no element: its name is empty.
  for (const pugi::xml_node option : net.child("rt_info").child("runtime_options")) {
    if (option.type() == pugi::node_element)
      model->runtime_options.emplace_back(option.name(), option.attribute("value").value());
  }
  for (const pugi::xml_node fact : net.child("rt_info").child("onnx2ir")) {
    if (fact.type() == pugi::node_element && !std::string_view(fact.name()).starts_with("weights_"))
      model->provenance.emplace_back(fact.name(), fact.attribute("value").value());
  }
  Reader(weights).graph(net, model->graph);
  if (const auto problems = ir::verify(model->graph); !problems.empty()) throw InvalidIr(problems.front());
  return model;
}

}  // namespace

std::unique_ptr<ir::Model> read_xml(std::string_view xml, const ir::ConstantData& weights) {
  pugi::xml_document document;
  const pugi::xml_node net = read_net(xml, document);
  const auto read = [&](std::size_t, std::uint64_t offset, std::span<std::byte> target) {
    weights.copy(offset, target);
  };
  if (const auto problem = check_digest(net, weights.size(), read)) refuse("{}", *problem);
  return read_model(net, [&](std::uint64_t offset, std::uint64_t size) {
    if (offset > weights.size() || size > weights.size() - offset)
      refuse("a constant lies outside of the weights");
    return weights.part(offset, size);
  });
}

std::unique_ptr<ir::Model> as_written(const ir::Model& model) {
  const WeightsLayout layout = lay_out_weights(model);
  std::map<std::pair<std::uint64_t, std::uint64_t>, const ir::ConstantData*> blocks;
  for (const WeightsLayout::Block& block : layout.blocks)
    blocks.emplace(std::pair(block.offset, block.data->written_size()), block.data);
  std::string xml;
  write_xml(model, layout, {}, [&](std::string_view piece) {
    xml += piece;
    return true;
  });
  pugi::xml_document document;
  return read_model(read_net(xml, document), [&](std::uint64_t offset, std::uint64_t size) {
    const auto found = blocks.find({offset, size});
    return found == blocks.end() ? ir::ConstantData() : *found->second;
  });
}

}  // namespace onnx2ir::backend_xml
