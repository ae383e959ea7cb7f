#include "backend_xml/xml_reader.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <pugixml.hpp>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>

#include "backend_xml/connections.hpp"
#include "backend_xml/foreign_layers.hpp"
#include "backend_xml/layouts.hpp"
#include "backend_xml/weights_digest.hpp"
#include "backend_xml/weights_layout.hpp"
#include "backend_xml/xml_values.hpp"
#include "backend_xml/xml_writer.hpp"
#include "ir/builder.hpp"
#include "ir/constant_data.hpp"
#include "ir/control_flow.hpp"
#include "ir/extension.hpp"
#include "ir/inference.hpp"
#include "ir/op_descriptor.hpp"
#include "ir/verifier.hpp"

namespace onnx2ir::backend_xml {
namespace {

constexpr int kDeepest = 200;

using WeightsLookup = std::function<ir::ConstantData(std::uint64_t offset, std::uint64_t size)>;

/// OpenVINO ignores the shape of a port and infers its own. That of another release or program can be wider
/// or narrower than ours, but there must be a shape that fits both. In bodies, OpenVINO's compression to f16
/// leaves that type at ports of f32, and Parameters may have no type: errors in an IR of onnx2ir (`is_own`).
void check_port(pugi::xml_node port, ir::ElementType type, const ir::PartialShape& shape, bool is_own) {
  const ir::ExtensionOutput written = parse_port(port);
  const bool is_compressed = !is_own && written.type == ir::ElementType::f16 && ir::is_floating(type);
  const bool is_untyped = !is_own && written.type == ir::ElementType::dynamic;
  if (written.type != type && !is_compressed && !is_untyped)
    refuse("a port has the precision {}, its value {}", ir::info(written.type).precision,
           ir::info(type).precision);
  if (!ir::intersect(written.shape, shape))
    refuse("a port has the shape {}, its value {}", ir::to_string(written.shape), ir::to_string(shape));
}

/// Operations whose meaning is not given by their inputs, attributes and ports alone.
bool is_structural(ir::Op op) {
  return op == ops::Parameter || op == ops::Result || op == ops::Const || op == ops::Loop || op == ops::If;
}

class Reader {
 public:
  /// `is_own`: the IR is one of onnx2ir.
  Reader(const WeightsLookup& weights, bool is_own) : weights_(&weights), is_own_(is_own) {}

  /// Reads the <layers> and <edges> of `element` into `graph`.
  Layers graph(pugi::xml_node element, ir::Graph& graph) {
    if (++depth_ > kDeepest) refuse("bodies are nested more than {} deep", kDeepest);
    const Edges sources = edges_of(element);
    Layers layers;
    std::unordered_map<LayerId, PortIndices> outputs;
    for (const pugi::xml_node layer : layers_in_order(element, sources)) {
      const LayerId id = required_id(layer, "id");
      std::vector<ir::Value> inputs;
      for (const pugi::xml_node port : ports_of(layer, "input")) {
        const auto source = sources.find({id, required_id(port, "id")});
        if (source == sources.end()) refuse("an input of layer {} is not connected", id);
        const auto from = layers.find(source->second.first);
        if (from == layers.end()) refuse("layer {} has an input from a layer that does not exist", id);
        const ir::Value value{from->second, outputs.at(source->second.first).at(source->second.second)};
        // A Result passes its value on. Nothing reads those that are written.
        inputs.push_back(value.node->is(ops::Result) ? value.node->input(0) : value);
      }
      const Ports ports = ports_of(layer, "output");
      outputs.insert_or_assign(id, PortIndices(ports));
      if (!layers.emplace(id, &node(layer, graph, inputs, ports)).second) refuse("layer {} twice", id);
    }
    --depth_;
    return layers;
  }

 private:
  ir::Node& node(pugi::xml_node layer, ir::Graph& graph, const std::vector<ir::Value>& inputs,
                 const Ports& outputs) {
    const std::string_view type = required_text(layer, "type");
    const std::string_view version = required_text(layer, "version");
    if (version == ir::kExtensionOpset) return declared(layer, graph, inputs, outputs);
    if (type == "TensorIterator" && version == "opset1") return iterator(layer, graph, inputs, outputs);
    if (type == "StridedSlice" && version == "opset1" && outputs.size() == 1) {
      if (ir::Node* const slice = strided_slice(layer, graph, inputs, outputs)) return *slice;
    }
    if (ir::Node* const known = known_operation(layer, graph, inputs, outputs)) return *known;
    const ir::OpDescriptor* op = ir::find_op_or_null(type);
    if (op != nullptr && is_structural(op->id))
      refuse("{} with {} inputs and {} outputs", type, inputs.size(), outputs.size());
    if (!ir::is_openvino_operation(type, version)) refuse("there is no operation {} of {}", type, version);
    if (op != nullptr && has_newer_attributes(layer, *op))
      refuse("there is no operation {} of {} with these attributes", type, version);
    return declared(layer, graph, inputs, outputs);
  }

  /// The Slice, or the Squeeze after it, that means the same; null if none does.
  ir::Node* strided_slice(pugi::xml_node layer, ir::Graph& graph, const std::vector<ir::Value>& inputs,
                          const Ports& outputs) {
    ir::Builder builder(graph);
    builder.set_name(layer.attribute("name").value());
    const ir::Value value = emit_strided_slice(builder, layer, inputs);
    if (!value) return nullptr;
    check_outputs(*value.node, outputs);
    return value.node;
  }

  /// The node of a layer that a row of ir/ops describes; null if no row does.
  ir::Node* known_operation(pugi::xml_node layer, ir::Graph& graph, const std::vector<ir::Value>& inputs,
                            const Ports& outputs) {
    const ir::OpDescriptor* op = ir::find_op_or_null(required_text(layer, "type"));
    if (op == nullptr || op->id == ops::ExtensionOperation || !op->takes(inputs.size())) return nullptr;
    const bool is_older = is_older_layer(layer);
    const bool has_any_outputs = op->outputs == ir::OpDescriptor::kVariadic;
    const std::size_t expected = has_any_outputs ? outputs.size() : static_cast<std::size_t>(op->outputs);
    // Older versions lack outputs at the end.
    const bool has_outputs = outputs.size() == expected || (is_older && outputs.size() < expected);
    // OpenVINO may write the output of a Result or leave it out.
    const bool is_result = op->id == ops::Result && outputs.size() <= expected;
    if (!is_result && !has_outputs) return nullptr;
    ir::Node& node = graph.add(*op, inputs, expected);
    node.name = layer.attribute("name").value();
    const bool is_complete = attributes(layer, node) && (is_older || has_only_known_attributes(layer, *op));
    const std::string_view version = required_text(layer, "version");
    if (!is_complete || !(is_older || ir::is_version(node, version))) {
      graph.remove(node);
      return nullptr;
    }
    marks(layer, node);
    if (node.is(ops::Const) || node.is(ops::Parameter)) declare(layer.child("data"), node);
    if (node.is(ops::Const)) node.set_payload(constant(layer, node.output(0)));
    if (node.is(ops::Loop)) node.set_payload(loop(layer, graph, 0));
    if (node.is(ops::If))
      node.set_payload(ir::IfBranches{branch(layer, "then", graph, outputs.size()),
                                      branch(layer, "else", graph, outputs.size())});
    infer(node);
    if (node.is(ops::Result)) {
      const ir::TensorNames names = parse_names(layer.attribute("output_names").value());
      // OpenVINO repeats the names of the port that the Result reads.
      if (!std::ranges::equal(names, node.input(0).output().names)) node.output(0).names = names;
    } else {
      check_outputs(node, outputs);
    }
    return &node;
  }

  /// Whether the layer has attributes that its version lacks.
  static bool has_newer_attributes(pugi::xml_node layer, const ir::OpDescriptor& op) {
    const auto older = std::ranges::find(op.older, required_text(layer, "version"), &ir::OlderVersion::opset);
    return older != op.older.end() && std::ranges::any_of(older->without, [&](std::string_view name) {
             return !layer.child("data").attribute(std::string(name).c_str()).empty();
           });
  }

  static bool has_only_known_attributes(pugi::xml_node layer, const ir::OpDescriptor& op) {
    if (is_structural(op.id)) return true;
    for (const pugi::xml_attribute attribute : layer.child("data").attributes()) {
      const bool is_known = std::ranges::find(op.attributes, std::string_view(attribute.name()),
                                              &ir::AttributeSpec::name) != op.attributes.end();
      if (!is_known && !is_redundant(layer, attribute)) return false;
    }
    return true;
  }

  void check_outputs(ir::Node& node, const Ports& outputs) const {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      check_port(outputs[i], node.output(i).type, node.output(i).shape, is_own_);
      node.output(i).names = parse_names(outputs[i].attribute("names").value());
    }
  }

  static void marks(pugi::xml_node layer, ir::Node& node) {
    for (std::size_t i = 0; i < ir::kMarkNames.size(); ++i) {
      const char* const name = ir::kMarkNames[i].data();
      if (layer.child("rt_info").find_child_by_attribute("attribute", "name", name))
        node.marks.add(static_cast<ir::Mark>(i));
    }
  }

  static void infer(ir::Node& node) {
    const auto problem = base::problem_of(DiagnosticCode::invalid_node, [&] { ir::infer(node); });
    if (problem) refuse("layer '{}': {}", node.name, problem->message);
  }

  /// A layer of an extension, or of an operation that the compiler never emits: its ports give the types and
  /// shapes of its outputs.
  static ir::Node& declared(pugi::xml_node layer, ir::Graph& graph, const std::vector<ir::Value>& inputs,
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
      node.set_attribute(std::move(attribute));
    }
    const std::string_view version = required_text(layer, "version");
    if (version != ir::kExtensionOpset) node.set_attribute({"opset", std::string(version)});
    infer(node);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      node.output(i).names = parse_names(outputs[i].attribute("names").value());
    return node;
  }

  /// Whether the layer has all required attributes, or its version gives their values.
  static bool attributes(pugi::xml_node layer, ir::Node& node) {
    const pugi::xml_node data = layer.child("data");
    for (const ir::AttributeSpec& spec : node.op().attributes) {
      if (spec.presence == ir::AttributeSpec::Presence::note) continue;
      const pugi::xml_attribute attribute = data.attribute(std::string(spec.name).c_str());
      if (attribute) {
        node.set_attribute({spec, parse_attribute(attribute.value(), spec.kind)});
      } else if (spec.presence == ir::AttributeSpec::Presence::required) {
        const auto missing = missing_attribute(layer, spec.name);
        if (!missing) return false;
        node.set_attribute({spec, parse_attribute(*missing, spec.kind)});
      }
    }
    return true;
  }

  static void declare(pugi::xml_node data, ir::Node& node) {
    const std::string_view type_name = required_text(data, "element_type");
    const auto type = ir::element_type_from_name(type_name);
    if (!type) refuse("'{}' is not an element type", type_name);
    ir::set_output(node, 0, *type, parse_shape(required_text(data, "shape")));
  }

  ir::ConstantData constant(pugi::xml_node layer, const ir::Output& output) const {
    const pugi::xml_node data = layer.child("data");
    const auto offset = read_number<std::uint64_t>(required_text(data, "offset"));
    const auto size = read_number<std::uint64_t>(required_text(data, "size"));
    const auto count = output.shape.element_count();
    if (!count) refuse("the shape of a constant must be static");
    const auto needed = ir::packed_size(output.type, static_cast<std::uint64_t>(*count));
    if (*count == 0 && ir::info(output.type).bits != 0) return {};  // OpenVINO writes one byte
    if (ir::info(output.type).bits != 0 && needed != size)
      refuse("a constant of {} bytes does not fit its type", size);
    return (*weights_)(offset, size);
  }

  /// A TensorIterator is a Loop whose trip count is the number of slices.
  ir::Node& iterator(pugi::xml_node layer, ir::Graph& graph, const std::vector<ir::Value>& inputs,
                     const Ports& outputs) {
    ir::LoopBody body = loop(layer, graph, ir::LoopView::kFirstMapped);
    const std::string name = layer.attribute("name").value();
    ir::Builder builder(graph);
    builder.set_name(name + "/trip_count");
    std::vector<ir::Value> values{iterator_trip_count(builder, body, inputs)};
    builder.set_name(name + "/condition");
    values.push_back(builder.boolean(true));
    values.insert(values.end(), inputs.begin(), inputs.end());
    ir::Builder inner(*body.graph);
    inner.set_name(name + "/condition");
    body.condition = &inner.result(inner.boolean(true));
    ir::Node& node = graph.add(ir::find_op(ops::Loop), values, outputs.size());
    node.name = name;
    node.set_payload(std::move(body));
    infer(node);
    check_outputs(node, outputs);
    return node;
  }

  /// `first_input`: the inputs of the node before those of the layer.
  ir::LoopBody loop(pugi::xml_node layer, const ir::Graph& outer, std::uint32_t first_input) {
    auto body = outer.make_body();
    const Layers layers = graph(layer.child("body"), *body);
    ir::LoopBody connected = connected_loop(layer, std::move(body), layers, first_input);
    if (!is_own_) separate_results(connected);
    return connected;
  }

  ir::Branch branch(pugi::xml_node layer, const std::string& prefix, const ir::Graph& outer,
                    std::size_t count) {
    auto body = outer.make_body();
    const Layers layers = graph(layer.child((prefix + "_body").c_str()), *body);
    ir::Branch connected =
        connected_branch(layer, layer.child((prefix + "_port_map").c_str()), std::move(body), layers, count);
    if (!is_own_) separate_results(connected);
    return connected;
  }

  const WeightsLookup* weights_;
  bool is_own_;
  int depth_ = 0;
};

/// Parses `xml` and checks the version.
pugi::xml_node read_net(std::string_view xml, pugi::xml_document& document) {
  // Do not normalise attributes: spaces are part of names.
  const auto parsed =
      document.load_buffer(xml.data(), xml.size(), pugi::parse_default & ~pugi::parse_wconv_attribute);
  if (parsed.status == pugi::status_out_of_memory) throw std::bad_alloc();
  const auto refuse_file = [](std::string message) {
    throw base::Failure(DiagnosticCode::unreadable_ir, std::move(message), "name the XML of an IR");
  };
  if (xml.find_first_not_of(" \t\r\n") == std::string_view::npos) refuse_file("the XML is empty");
  if (!parsed) refuse_file(fmt::format("not valid XML: {} at byte {}", parsed.description(), parsed.offset));
  const pugi::xml_node net = document.child("net");
  if (!net) refuse_file("the XML has no element <net>");
  if (required_text(net, "version") != "11")
    refuse("the IR has version {} instead of 11", net.attribute("version").value());
  return net;
}

/// What programs other than onnx2ir wrote about the model. "info" names the one that wrote the file.
std::string other_information(pugi::xml_node net) {
  std::ostringstream text;
  for (const pugi::xml_node section : net.child("rt_info")) {
    const std::string_view name = section.name();
    const bool is_read = name == "runtime_options" || name == "onnx2ir" || name == "info";
    if (section.type() == pugi::node_element && !is_read) section.print(text, "", pugi::format_raw);
  }
  return text.str();
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
  model->layouts = layouts_of(net);
  model->other_information = other_information(net);
  const bool is_own = !net.child("rt_info").child("onnx2ir").empty();
  const auto problem = base::problem_of(DiagnosticCode::invalid_node,
                                        [&] { Reader(weights, is_own).graph(net, model->graph); });
  if (problem) refuse("{}", problem->message);
  if (const auto problems = ir::verify(model->graph); !problems.empty())
    throw base::Failure(DiagnosticCode::unreadable_ir, problems.front());
  return model;
}

}  // namespace

std::unique_ptr<ir::Model> read_xml(std::string_view xml, const ir::ConstantData& weights) {
  pugi::xml_document document;
  const pugi::xml_node net = read_net(xml, document);
  const auto read = [&](std::size_t, std::uint64_t offset, std::span<std::byte> target) {
    weights.copy(offset, target);
  };
  if (const auto problem = digest_problem(net, weights.size(), read)) refuse("{}", *problem);
  ir::SharedParts constants(weights);
  return read_model(net, [&](std::uint64_t offset, std::uint64_t size) {
    if (offset > weights.size() || size > weights.size() - offset)
      refuse("a constant lies outside of the weights");
    return constants.part(offset, size);
  });
}

std::unique_ptr<ir::Model> as_written(const ir::Model& model) {
  const WeightsLayout layout = lay_out_weights(model);
  std::map<std::pair<std::uint64_t, std::uint64_t>, const ir::ConstantData*> blocks;
  for (const WeightsLayout::Block& block : layout.blocks)
    blocks.emplace(std::pair(block.offset, block.data->written_size()), block.data);
  pugi::xml_document document;
  return read_model(read_net(xml_text(model, layout, {}), document),
                    [&](std::uint64_t offset, std::uint64_t size) {
                      const auto found = blocks.find({offset, size});
                      return found == blocks.end() ? ir::ConstantData() : *found->second;
                    });
}

}  // namespace onnx2ir::backend_xml
