// Gives each input and output of the model its ONNX name, and no other one. OpenVINO's get_any_name() is the
// first name of a port in alphabetical order: the name of an inner tensor would precede that of the model, if
// passes have joined both.
//
// A port of several outputs, or of an input and an output, would have the names of all. OpenVINO removes the
// Convert that separates them, but keeps its names.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.hpp"
#include "passes/passes.hpp"
#include "passes/scalar_pattern.hpp"

namespace onnx2ir::passes {
namespace {

constexpr unsigned kMinBits = 8;  ///< releases do not convert all smaller types

bool can_be_separated(ir::ElementType type) {
  return type != ir::ElementType::string && type != ir::ElementType::dynamic &&
         ir::info(type).bits >= kMinBits;
}

struct Port {
  ir::Value value;
  std::vector<std::string> names;
};

/// The ports in order, and where that of a value is. The map is only used for look-ups, so that its order
/// does not matter.
struct Ports {
  std::vector<Port> all;
  std::map<std::pair<const ir::Node*, std::uint32_t>, std::size_t> places;

  void add(Port port) {
    places.emplace(std::pair(port.value.node, static_cast<std::uint32_t>(port.value.index)), all.size());
    all.push_back(std::move(port));
  }
  Port* find(ir::Value value) {
    const auto found = places.find({value.node, static_cast<std::uint32_t>(value.index)});
    return found == places.end() ? nullptr : &all[found->second];
  }
};

/// The port of an output of its own, with the value of a port that another input or output has.
Port separated(ir::Node& result) {
  const ir::Value value = result.input(0);
  ir::Builder builder = ir::builder_beside(*value.node);
  const ir::Value own = builder.op(ops::Convert, {value}, {{"destination_type", value.type()}});
  result.set_input(0, own);
  return {own, {result.name}};
}

bool set_names(const Port& port) {
  ir::TensorNames& names = port.value.output().names;
  if (std::ranges::equal(names, port.names)) return false;
  names.clear();
  for (const std::string& name : port.names) names.push_back(name);
  return true;
}

/// OpenVINO removes the addition of a bias of zeros, and gives the name of the product to the output. Returns
/// whether the product of `output` had a name.
bool unname_product(const Port& output) {
  const ir::Node& sum = *output.value.node;
  if (!sum.is(ops::Add)) return false;
  const ir::Value product = sum.input(sum.input(0).node->is(ops::Const) ? 1 : 0);
  const bool has_bias = sum.input(0).node->is(ops::Const) || sum.input(1).node->is(ops::Const);
  if (!has_bias || !product.node->is(ops::MatMul) || !is_used_once(product)) return false;
  ir::TensorNames& names = product.output().names;
  const bool has_names = !names.empty();
  names.clear();
  return has_names;
}

}  // namespace

bool name_ports(ir::Model& model, PassContext&) {
  Ports ports;
  for (ir::Node* parameter : model.graph.parameters()) ports.add({parameter->value(), {parameter->name}});
  bool modified = false;
  for (ir::Node* result : model.graph.results()) {
    Port* const shared = ports.find(result->input(0));
    if (shared == nullptr) {
      ports.add({result->input(0), {result->name}});
    } else if (std::ranges::find(shared->names, result->name) != shared->names.end()) {
      continue;  // an input that is an output
    } else if (can_be_separated(result->input(0).type())) {
      ports.add(separated(*result));
      modified = true;
    } else {
      shared->names.push_back(result->name);
    }
  }
  for (const Port& port : ports.all) {
    modified = set_names(port) || modified;
    modified = unname_product(port) || modified;
  }
  return modified;
}

}  // namespace onnx2ir::passes
