#include "backend_xml/xml_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <unordered_map>
#include <utility>

#include "backend_xml/check_pair.hpp"
#include "ir/inference.hpp"
#include "ir/op_descriptor.hpp"
#include "ir/verifier.hpp"

namespace onnx2ir::backend_xml {
namespace {

using Id = std::int64_t;
constexpr int kDeepest = 200;

template <typename... Arguments>
[[noreturn]] void refuse(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  throw InvalidIr(fmt::format(format, std::forward<Arguments>(arguments)...));
}

template <typename Number>
Number parse_number(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) refuse("'{}' is not a number", text);
  return number;
}

std::string_view required_text(pugi::xml_node element, const char* name) {
  const pugi::xml_attribute attribute = element.attribute(name);
  if (!attribute) refuse("<{}> without {}", element.name(), name);
  return attribute.value();
}

Id required_id(pugi::xml_node element, const char* name) {
  return parse_number<Id>(required_text(element, name));
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  if (text.empty()) return parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    parts.push_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  return parts;
}

template <typename Number>
std::vector<Number> parse_list(std::string_view text) {
  std::vector<Number> numbers;
  for (const std::string_view part : parts_of(text)) numbers.push_back(parse_number<Number>(part));
  return numbers;
}

std::int64_t parse_size(std::string_view text) {
  const auto size = parse_number<std::int64_t>(text);
  if (size < 0) refuse("{} is not a dimension", size);
  return size;
}

/// "3", "?", "2..5", "2.."
ir::Dimension parse_dimension(std::string_view text) {
  if (text == "?") return {};
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return parse_size(text);
  const std::int64_t least = parse_size(text.substr(0, dots));
  if (dots + 2 == text.size()) return {least, ir::Dimension::kUnbounded};
  const std::int64_t most = parse_size(text.substr(dots + 2));
  if (least > most) refuse("'{}' is not a dimension", text);
  return {least, most};
}

ir::PartialShape parse_shape(std::string_view text) {
  if (text == "...") return ir::PartialShape::unknown_rank();
  ir::Dimensions dimensions;
  for (const std::string_view part : parts_of(text)) dimensions.push_back(parse_dimension(part));
  return ir::PartialShape(std::move(dimensions));
}

ir::AttributeValue parse_attribute(std::string_view text, ir::AttributeSpec::Kind kind) {
  using Kind = ir::AttributeSpec::Kind;
  switch (kind) {
    case Kind::boolean:
      if (text != "true" && text != "false") refuse("'{}' is neither true nor false", text);
      return text == "true";
    case Kind::integer:
      return parse_number<std::int64_t>(text);
    case Kind::real:
      return parse_number<double>(text);
    case Kind::text:
      return std::string(text);
    case Kind::integers:
      return parse_list<std::int64_t>(text);
    case Kind::reals:
      return parse_list<double>(text);
    case Kind::texts: {
      std::vector<std::string> texts;
      for (const std::string_view part : parts_of(text)) texts.emplace_back(part);
      return texts;
    }
    case Kind::type: {
      const auto type = ir::element_type_from_name(text);
      if (!type) refuse("'{}' is not an element type", text);
      return *type;
    }
  }
  refuse("an attribute of unknown kind");
}

/// Splits tensor names, which are separated by commas; a comma in a name is escaped with a backslash.
ir::TensorNames parse_names(std::string_view text) {
  ir::TensorNames names;
  if (text.empty()) return names;
  names.emplace_back();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',') {
      names.back() += text[++i];
    } else if (text[i] == ',') {
      names.emplace_back();
    } else {
      names.back() += text[i];
    }
  }
  return names;
}

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
  explicit Reader(const ir::ConstantData& weights)
      : weights_(std::make_shared<const ir::ConstantData>(weights)) {}

  using Layers = std::unordered_map<Id, ir::Node*>;

  /// Reads the <layers> and <edges> of `element` into `graph`.
  Layers graph(pugi::xml_node element, ir::Graph& graph) {
    if (++depth_ > kDeepest) refuse("bodies are nested more than {} deep", kDeepest);
    std::map<std::pair<Id, Id>, std::pair<Id, Id>> sources;
    for (const pugi::xml_node edge : element.child("edges").children("edge")) {
      sources[{required_id(edge, "to-layer"), required_id(edge, "to-port")}] = {
          required_id(edge, "from-layer"), required_id(edge, "from-port")};
    }
    Layers layers;
    std::unordered_map<Id, Ports> outputs;
    for (const pugi::xml_node layer : element.child("layers").children("layer")) {
      const Id id = required_id(layer, "id");
      std::vector<ir::Value> inputs;
      for (const pugi::xml_node port : ports_of(layer, "input")) {
        const auto source = sources.find({id, required_id(port, "id")});
        if (source == sources.end()) refuse("an input of layer {} is not connected", id);
        const auto from = layers.find(source->second.first);
        if (from == layers.end())
          refuse("layer {} has an input from a layer that does not come before it", id);
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
    const ir::OpDescriptor* op = ir::find_op_or_null(type);
    const std::string_view version = required_text(layer, "version");
    if (op == nullptr) refuse("there is no operation {} of {}", type, version);
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
    try {
      ir::infer(node);
    } catch (const ir::InvalidNode& reason) {
      refuse("layer '{}': {}", node.name, reason.what());
    }
    if (node.is(ops::Result)) return node;
    if (outputs.size() != expected) refuse("{} has {} outputs, not {}", type, expected, outputs.size());
    for (std::size_t i = 0; i < expected; ++i) {
      check_port(outputs[i], node.output(i).type, node.output(i).shape);
      node.output(i).names = parse_names(outputs[i].attribute("names").value());
    }
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
    if (offset > weights_->size() || size > weights_->size() - offset) {
      refuse("a constant lies outside of the weights");
    }
    const auto count = output.shape.element_count();
    if (!count) refuse("the shape of a constant must be static");
    const auto needed = ir::packed_size(output.type, static_cast<std::uint64_t>(*count));
    if (ir::info(output.type).bits != 0 && needed != size)
      refuse("a constant of {} bytes does not fit its type", size);
    return weights_->part(offset, size);
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

  std::shared_ptr<const ir::ConstantData> weights_;
  int depth_ = 0;
};

}  // namespace

std::unique_ptr<ir::Model> read_xml(std::string_view xml, const ir::ConstantData& weights) {
  pugi::xml_document document;
  // Do not normalise attributes: spaces are part of names.
  const auto parsed =
      document.load_buffer(xml.data(), xml.size(), pugi::parse_default & ~pugi::parse_wconv_attribute);
  if (!parsed) refuse("no XML: {} at byte {}", parsed.description(), parsed.offset);
  const pugi::xml_node net = document.child("net");
  if (required_text(net, "version") != "11")
    refuse("the IR has version {} instead of 11", net.attribute("version").value());
  auto model = std::make_unique<ir::Model>();
  model->name = net.attribute("name").value();
  for (const pugi::xml_node option : net.child("rt_info").child("runtime_options")) {
    model->runtime_options.emplace_back(option.name(), option.attribute("value").value());
  }
  const auto read = [&](std::size_t, std::uint64_t offset, std::span<std::byte> target) {
    weights.copy(offset, target);
  };
  if (const auto problem = check_digest(net, weights.size(), read)) refuse("{}", *problem);
  Reader(weights).graph(net, model->graph);
  if (const auto problems = ir::verify(model->graph); !problems.empty()) throw InvalidIr(problems.front());
  return model;
}

}  // namespace onnx2ir::backend_xml
