#include "backend_xml/connections.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "backend_xml/xml_values.hpp"
#include "ir/checked_arithmetic.hpp"
#include "ir/control_flow.hpp"
#include "ir/inference.hpp"
#include "ir/op_descriptor.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::backend_xml {
namespace {

/// The layers, each one after its sources, whose indices are given. Iterative: a chain of layers can be long.
std::vector<pugi::xml_node> sorted(const std::vector<pugi::xml_node>& layers,
                                   const std::vector<std::vector<std::size_t>>& sources) {
  enum class State : std::uint8_t { unseen, open, done };
  std::vector<State> states(layers.size());
  std::vector<pugi::xml_node> order;
  const auto visit = [&](std::size_t first) {
    std::vector<std::size_t> stack{first};
    while (!stack.empty()) {
      const std::size_t layer = stack.back();
      if (states[layer] == State::unseen) {
        states[layer] = State::open;
        for (const std::size_t source : sources[layer]) {
          if (states[source] == State::open) refuse("the layers are connected in a cycle");
          if (states[source] == State::unseen) stack.push_back(source);
        }
        continue;
      }
      if (states[layer] == State::open) order.push_back(layers[layer]);
      states[layer] = State::done;
      stack.pop_back();
    }
  };
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (std::string_view(layers[i].attribute("type").value()) == "Parameter") visit(i);
  }
  for (std::size_t i = 0; i < layers.size(); ++i) visit(i);
  return order;
}

/// Gives each port of a body a Result of its own.
class SeparateResults {
 public:
  explicit SeparateResults(ir::Graph& body) : body_(&body) {}

  void take(ir::Node*& result) {
    if (!taken_.insert(result).second) {
      ir::Builder builder(*body_);
      builder.set_name(result->name);
      result = &builder.result(result->input(0));
      taken_.insert(result);
    }
  }

  /// Removes the Results that no port refers to.
  void remove_others() const {
    std::vector<ir::Node*> unused = body_->results();
    std::erase_if(unused, [&](const ir::Node* result) { return taken_.contains(result); });
    if (!unused.empty()) body_->remove(unused);
  }

 private:
  ir::Graph* body_;
  std::set<const ir::Node*> taken_;  // only used for look-ups
};

ir::Node* layer_of(const Layers& layers, pugi::xml_node element, const char* name, ir::Op type) {
  const auto found = layers.find(required_id(element, name));
  if (found == layers.end() || !found->second->is(type)) refuse("{} names no {}", name, ir::name_of(type));
  return found->second;
}

ir::Slices slices(pugi::xml_node mapped) {
  return {.axis = required_id(mapped, "axis"),
          .start = required_id(mapped, "start"),
          .end = required_id(mapped, "end"),
          .stride = required_id(mapped, "stride"),
          .part_size = required_id(mapped, "part_size")};
}

/// Whether `port` was written for a value of `shape`: an interval of sizes is written as a dynamic size.
bool has_sizes(pugi::xml_node port, const ir::PartialShape& shape) {
  const ir::PartialShape written = parse_port(port).shape;
  if (!written.has_rank() || !shape.has_rank()) return written.has_rank() == shape.has_rank();
  return std::ranges::equal(written, shape, [](const ir::Dimension& a, const ir::Dimension& b) {
    return a.is_static() ? b.is_static() && a.size() == b.size() : b.is_dynamic();
  });
}

/// The length of the slices: `of_size` times the size of the axis, plus `fixed`.
struct Length {
  std::int64_t of_size;
  std::int64_t fixed;
};

Length length_of(const ir::Slices& slices) {
  // A negative bound counts from the end: -1 is after the last element.
  const auto bound = [](std::int64_t value) { return value < 0 ? Length{1, value + 1} : Length{0, value}; };
  const Length start = bound(slices.start);
  const Length end = bound(slices.end);
  const Length from = slices.stride < 0 ? end : start;
  const Length to = slices.stride < 0 ? start : end;
  return {to.of_size - from.of_size, ir::checked_subtract(to.fixed, from.fixed)};
}

std::int64_t magnitude(std::int64_t value) {
  return value < 0 ? ir::checked_subtract(0, value) : value;
}

}  // namespace

Edges edges_of(pugi::xml_node graph) {
  Edges edges;
  for (const pugi::xml_node edge : graph.child("edges").children("edge")) {
    edges[{required_id(edge, "to-layer"), required_id(edge, "to-port")}] = {required_id(edge, "from-layer"),
                                                                            required_id(edge, "from-port")};
  }
  return edges;
}

std::vector<pugi::xml_node> layers_in_order(pugi::xml_node graph, const Edges& edges) {
  std::vector<pugi::xml_node> layers;
  std::unordered_map<LayerId, std::size_t> indices;
  for (const pugi::xml_node layer : graph.child("layers").children("layer")) {
    indices.emplace(required_id(layer, "id"), layers.size());
    layers.push_back(layer);
  }
  std::vector<std::vector<std::size_t>> sources(layers.size());
  bool is_sorted = true;
  for (const auto& [to, from] : edges) {
    const auto reader = indices.find(to.first);
    const auto source = indices.find(from.first);
    if (reader == indices.end() || source == indices.end()) continue;
    sources[reader->second].push_back(source->second);
    is_sorted = is_sorted && source->second < reader->second;
  }
  return is_sorted ? layers : sorted(layers, sources);
}

Ports ports_of(pugi::xml_node layer, const char* side) {
  Ports ports;
  for (const pugi::xml_node port : layer.child(side).children("port")) ports.push_back(port);
  return ports;
}

PortIndices::PortIndices(const Ports& ports) {
  for (std::uint32_t i = 0; i < ports.size(); ++i) indices_.emplace_back(required_id(ports[i], "id"), i);
  std::ranges::sort(indices_);
}

std::uint32_t PortIndices::at(LayerId id) const {
  const auto found = std::ranges::lower_bound(indices_, std::pair(id, std::uint32_t{0}));
  if (found == indices_.end() || found->first != id) refuse("no port {}", id);
  return found->second;
}

ir::LoopBody connected_loop(pugi::xml_node layer, std::unique_ptr<ir::Graph> graph, const Layers& layers,
                            std::uint32_t first_input) {
  ir::LoopBody body;
  body.graph = std::move(graph);
  std::unordered_map<const ir::Node*, ir::Node*> results;  // by the Parameter of their back edge
  for (const pugi::xml_node edge : layer.child("back_edges").children("edge")) {
    ir::Node* parameter = layer_of(layers, edge, "to-layer", ops::Parameter);
    results[parameter] = layer_of(layers, edge, "from-layer", ops::Result);
  }
  const PortIndices inputs(ports_of(layer, "input"));
  std::unordered_map<const ir::Node*, std::vector<std::size_t>> states;  // without output, the last one first
  for (const pugi::xml_node mapped : layer.child("port_map").children("input")) {
    ir::Node* parameter = layer_of(layers, mapped, "internal_layer_id", ops::Parameter);
    if (std::string_view(mapped.attribute("purpose").value()) == "current_iteration") {
      body.iteration = parameter;
      continue;
    }
    const std::uint32_t input = first_input + inputs.at(required_id(mapped, "external_port_id"));
    if (const auto state = results.find(parameter); state != results.end()) {
      body.carried.push_back({input, parameter, state->second, std::nullopt});
    } else if (mapped.attribute("axis")) {
      body.sliced.push_back({slices(mapped), input, parameter});
    } else {
      body.invariants.push_back({input, parameter});
    }
  }
  for (std::size_t i = body.carried.size(); i-- > 0;) states[body.carried[i].result].push_back(i);
  const Ports output_ports = ports_of(layer, "output");
  const PortIndices outputs(output_ports);
  for (const pugi::xml_node mapped : layer.child("port_map").children("output")) {
    ir::Node* result = layer_of(layers, mapped, "internal_layer_id", ops::Result);
    if (std::string_view(mapped.attribute("purpose").value()) == "execution_condition") {
      body.condition = result;
      continue;
    }
    const std::uint32_t output = outputs.at(required_id(mapped, "external_port_id"));
    if (mapped.attribute("axis")) {
      body.scans.push_back({slices(mapped), result, output});
      continue;
    }
    if (const auto state = states.find(result); state != states.end() && !state->second.empty()) {
      ir::Carried& carried = body.carried[state->second.back()];
      carried.output = output;
      // As in OpenVINO, the output has the shape of the Result; guards for zero iterations are operations in
      // the IR. If it can be the initial value, the port is wider.
      carried.is_guarded = has_sizes(output_ports[output], result->output(0).shape);
      state->second.pop_back();
    } else {
      body.last_values.push_back({result, output});
    }
  }
  if (body.condition == nullptr && first_input == 0) refuse("a Loop has no execution condition");
  return body;
}

ir::Value iterator_trip_count(ir::Builder& builder, const ir::LoopBody& body,
                              const std::vector<ir::Value>& inputs) {
  if (body.sliced.empty()) {
    if (body.scans.empty()) return builder.integer(1);
    const Length length = length_of(body.scans.front());
    const std::int64_t part = magnitude(body.scans.front().part_size);
    if (length.of_size != 0 || part == 0)
      refuse("a TensorIterator does not state the number of its iterations");
    return builder.integer(length.fixed / part);
  }
  const ir::Sliced& sliced = body.sliced.front();
  const Length length = length_of(sliced);
  const std::int64_t step = magnitude(sliced.stride);
  if (step == 0 || length.of_size < 0) refuse("the slices of a TensorIterator have no direction");
  const ir::Value input = inputs[sliced.input - ir::LoopView::kFirstMapped];
  if (length.of_size == 0) return builder.integer(length.fixed / step);
  if (!input.shape().has_rank()) refuse("a TensorIterator slices a value of dynamic rank");
  const auto axis = static_cast<std::int64_t>(ir::normalize_axis(sliced.axis, input.shape().rank()));
  const ir::Dimension& size = input.shape()[static_cast<std::size_t>(axis)];
  if (size.is_static()) return builder.integer(ir::checked_add(size.size(), length.fixed) / step);
  ir::Value count = ir::dimension_of(builder, input, axis);
  const auto with = [&](ir::Op op, std::int64_t operand) {
    count = builder.op(op, {count, builder.integer(operand)});
  };
  if (length.fixed != 0) with(ops::Add, length.fixed);
  if (step != 1) with(ops::Divide, step);
  return count;
}

ir::Branch connected_branch(pugi::xml_node layer, pugi::xml_node map, std::unique_ptr<ir::Graph> graph,
                            const Layers& layers, std::size_t outputs) {
  ir::Branch branch;
  branch.graph = std::move(graph);
  const PortIndices inputs(ports_of(layer, "input"));
  for (const pugi::xml_node mapped : map.children("input")) {
    branch.invariants.push_back({inputs.at(required_id(mapped, "external_port_id")),
                                 layer_of(layers, mapped, "internal_layer_id", ops::Parameter)});
  }
  const PortIndices output_ports(ports_of(layer, "output"));
  branch.results.resize(outputs);
  for (const pugi::xml_node mapped : map.children("output")) {
    branch.results[output_ports.at(required_id(mapped, "external_port_id"))] =
        layer_of(layers, mapped, "internal_layer_id", ops::Result);
  }
  if (std::ranges::find(branch.results, nullptr) != branch.results.end()) {
    refuse("a branch of an If does not have all outputs");
  }
  return branch;
}

void separate_results(ir::LoopBody& body) {
  SeparateResults results(*body.graph);
  if (body.condition != nullptr) results.take(body.condition);
  for (ir::Carried& state : body.carried) results.take(state.result);
  for (ir::Scan& scan : body.scans) results.take(scan.result);
  for (ir::LastValue& last : body.last_values) results.take(last.result);
  results.remove_others();
}

void separate_results(ir::Branch& branch) {
  SeparateResults results(*branch.graph);
  for (ir::Node*& result : branch.results) results.take(result);
  results.remove_others();
}

}  // namespace onnx2ir::backend_xml
