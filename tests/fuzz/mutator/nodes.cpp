#include "mutator/nodes.hpp"

#include <array>
#include <string_view>

#include "mutator/operators.hpp"
#include "mutator/values.hpp"

namespace onnx2ir::fuzz {
namespace {

template <typename List>
void mutate_numbers(List& list, Random& random) {
  if (list.empty() || random.one_in(4)) {
    list.Add(static_cast<typename List::value_type>(random_integer(random)));
  } else if (random.one_in(4)) {
    list.RemoveLast();
  } else if (random.one_in(4)) {
    list.Truncate(any_index(list.size(), random));
  } else {
    const int which = any_index(list.size(), random);
    list.Set(which, static_cast<typename List::value_type>(
                        mutated_integer(static_cast<std::int64_t>(random.next()), random)));
  }
}

void mutate_integers(onnx::AttributeProto& attribute, Random& random) {
  auto& list = *attribute.mutable_ints();
  if (list.empty() || random.one_in(2)) return mutate_numbers(list, random);
  const int which = any_index(list.size(), random);
  list.Set(which, mutated_integer(list.Get(which), random));
}

void change_kind(onnx::AttributeProto& attribute, Random& random) {
  static constexpr std::array kKinds = {
      onnx::AttributeProto::INT,    onnx::AttributeProto::FLOAT,  onnx::AttributeProto::STRING,
      onnx::AttributeProto::INTS,   onnx::AttributeProto::FLOATS, onnx::AttributeProto::STRINGS,
      onnx::AttributeProto::TENSOR, onnx::AttributeProto::GRAPH,  onnx::AttributeProto::UNDEFINED};
  attribute.set_type(random.pick(kKinds));
}

void mutate_operator(onnx::NodeProto& node, const Parts& parts, Random& random) {
  const onnx::NodeProto& other = *parts.nodes[random.below(parts.nodes.size())];
  if (random.one_in(3)) {
    node.set_op_type(other.op_type());
    node.set_domain(other.domain());
    return;
  }
  const Operator& chosen = random_operator(random);
  node.set_op_type(chosen.name);
  node.set_domain(chosen.domain);
}

void mutate_inputs(onnx::NodeProto& node, const NodeList& list, const Parts& parts, Random& random) {
  auto& inputs = *node.mutable_input();
  switch (inputs.empty() ? 0 : random.below(6)) {
    case 0:
      node.add_input(random_value_name(list, parts, random));
      break;
    case 1:
      inputs.RemoveLast();
      break;
    case 2:
      inputs.SwapElements(any_index(inputs.size(), random), any_index(inputs.size(), random));
      break;
    case 3:
      inputs.Get(0).empty() ? inputs.RemoveLast() : inputs.Mutable(any_index(inputs.size(), random))->clear();
      break;
    default:
      *inputs.Mutable(any_index(inputs.size(), random)) = random_value_name(list, parts, random);
  }
}

void mutate_outputs(onnx::NodeProto& node, Random& random) {
  auto& outputs = *node.mutable_output();
  switch (outputs.empty() ? 0 : random.below(4)) {
    case 0:
      node.add_output(outputs.empty() ? "new" : outputs.Get(0) + "_");
      break;
    case 1:
      outputs.RemoveLast();
      break;
    case 2:
      outputs.Mutable(any_index(outputs.size(), random))->clear();
      break;
    default:
      outputs.SwapElements(any_index(outputs.size(), random), any_index(outputs.size(), random));
  }
}

void mutate_attributes(onnx::NodeProto& node, const Parts& parts, Random& random) {
  auto& attributes = *node.mutable_attribute();
  if (!parts.attributes.empty() && random.one_in(3)) {
    const onnx::AttributeProto other = *parts.attributes[random.below(parts.attributes.size())];
    *attributes.Add() = other;
  } else if (random.one_in(3)) {
    auto& added = *attributes.Add();
    added.set_name(random_attribute_name(random));
    change_kind(added, random);
    mutate_attribute(added, random);
  } else if (!attributes.empty() && random.one_in(2)) {
    attributes.DeleteSubrange(any_index(attributes.size(), random), 1);
  } else if (!attributes.empty()) {
    mutate_attribute(*attributes.Mutable(any_index(attributes.size(), random)), random);
  }
}

/// The inputs of a node become small constants: axes, shapes, counts, indices.
void make_input_constant(NodeList& list, int at, Random& random) {
  onnx::NodeProto constant;
  constant.set_op_type("Constant");
  constant.add_output("constant_" + std::to_string(random.below(1000)));
  auto& value = *constant.add_attribute();
  value.set_name("value");
  value.set_type(onnx::AttributeProto::TENSOR);
  fill_with_small_tensor(*value.mutable_t(), random);
  auto& inputs = *list.Mutable(at)->mutable_input();
  if (inputs.empty()) return;
  *inputs.Mutable(any_index(inputs.size(), random)) = constant.output(0);
  *list.Add() = std::move(constant);
  for (int i = list.size() - 1; i > at; --i) list.SwapElements(i, i - 1);
}

}  // namespace

std::string random_value_name(const NodeList& list, const Parts& parts, Random& random) {
  if (random.one_in(30)) return random.one_in(2) ? "missing" : "";
  if (!list.empty() && random.one_in(2)) {
    const auto& node = list.Get(any_index(list.size(), random));
    if (node.output_size() > 0) return node.output(any_index(node.output_size(), random));
  }
  if (!parts.values.empty() && random.one_in(2))
    return parts.values[random.below(parts.values.size())]->name();
  if (!parts.tensors.empty() && random.one_in(2)) {
    return parts.tensors[random.below(parts.tensors.size())]->name();
  }
  if (parts.nodes.empty()) return {};
  const auto& node = *parts.nodes[random.below(parts.nodes.size())];
  return node.output_size() > 0 ? node.output(any_index(node.output_size(), random)) : std::string();
}

void mutate_attribute(onnx::AttributeProto& attribute, Random& random) {
  if (random.one_in(30)) return change_kind(attribute, random);
  switch (attribute.type()) {
    case onnx::AttributeProto::INT:
      attribute.set_i(mutated_integer(attribute.i(), random));
      break;
    case onnx::AttributeProto::FLOAT:
      attribute.set_f(static_cast<float>(random_real(random)));
      break;
    case onnx::AttributeProto::STRING:
      attribute.set_s(mutated_text(attribute.s(), random));
      break;
    case onnx::AttributeProto::INTS:
      mutate_integers(attribute, random);
      break;
    case onnx::AttributeProto::FLOATS:
      mutate_numbers(*attribute.mutable_floats(), random);
      break;
    case onnx::AttributeProto::STRINGS:
      if (attribute.strings().empty() || random.one_in(3)) {
        attribute.add_strings(mutated_text({}, random));
      } else if (random.one_in(3)) {
        attribute.mutable_strings()->RemoveLast();
      } else {
        std::string& text = *attribute.mutable_strings(any_index(attribute.strings_size(), random));
        text = mutated_text(text, random);
      }
      break;
    case onnx::AttributeProto::TENSOR:
      mutate_tensor(*attribute.mutable_t(), random);
      break;
    default:
      change_kind(attribute, random);
  }
}

void mutate_node(onnx::NodeProto& node, const NodeList& list, const Parts& parts, Random& random) {
  switch (random.below(8)) {
    case 0:
      mutate_operator(node, parts, random);
      break;
    case 1:
    case 2:
      mutate_inputs(node, list, parts, random);
      break;
    case 3:
      mutate_outputs(node, random);
      break;
    default:
      mutate_attributes(node, parts, random);
  }
}

void mutate_node_list(NodeList& list, const Parts& parts, Random& random) {
  if (list.empty()) {
    if (!parts.nodes.empty()) {
      const onnx::NodeProto other = *parts.nodes[random.below(parts.nodes.size())];
      *list.Add() = other;
    }
    return;
  }
  const int at = any_index(list.size(), random);
  switch (random.below(5)) {
    case 0:
      list.DeleteSubrange(at, 1);
      break;
    case 1:
      list.SwapElements(at, any_index(list.size(), random));
      break;
    case 2: {
      // The copy replaces the original: consumers use its outputs by the new names.
      onnx::NodeProto copy = list.Get(at);
      if (copy.output_size() == 0 || copy.input_size() == 0) break;
      const std::string name = copy.output(0) + "'";
      copy.set_input(any_index(copy.input_size(), random), name);
      list.Mutable(at)->set_output(0, name);
      *list.Add() = std::move(copy);
      for (int i = list.size() - 1; i > at + 1; --i) list.SwapElements(i, i - 1);
      break;
    }
    default:
      make_input_constant(list, at, random);
  }
}

}  // namespace onnx2ir::fuzz
