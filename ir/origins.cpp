#include "ir/origins.hpp"

#include <cstddef>
#include <optional>

#include "base/joined.hpp"
#include "ir/op_descriptor.hpp"
#include "ir/size_expression.hpp"
#include "ir/text/values.hpp"

namespace onnx2ir::ir {
namespace {

const Node* converted_node(const Origins& origins, const Node& written) {
  const auto found = origins.converted.find(&written);
  return found == origins.converted.end() ? nullptr : found->second;
}

/// A sum of products of named sizes; no value if it has another form or is long.
std::optional<std::string> named(const SizeExpression& size, const SizeNames& names) {
  constexpr std::size_t kLongest = 40;
  if (size.terms.empty()) return std::nullopt;
  auto text = sum_text(size, [&](const SizeAtom& factor) {
    const auto found = names.find(&factor);
    return found == names.end() ? std::nullopt : std::optional(found->second);
  });
  return text && text->size() <= kLongest ? text : std::nullopt;
}

}  // namespace

void pair_nodes(const Graph& written, const Graph& converted, Origins& origins) {
  const auto& copies = written.nodes();
  const auto& nodes = converted.nodes();
  for (std::size_t i = 0; i < copies.size() && i < nodes.size(); ++i) {
    Node& copy = *copies[i];
    Node& node = *nodes[i];
    // The writer appends numbers to names, and names nodes without one.
    if (!copy.is(node.op().id) || copy.outputs().size() != node.outputs().size() ||
        !copy.name.starts_with(node.name))
      return;
    origins.converted.emplace(&copy, &node);
    for (std::size_t body = 0; body < bodies(copy).size(); ++body)
      pair_nodes(*bodies(copy)[body]->graph, *bodies(node)[body]->graph, origins);
  }
}

const Emitter* emitter_of(const Origins& origins, const Node& written) {
  const Node* const node = converted_node(origins, written);
  return node == nullptr || node->emitter >= origins.emitters.size() ? nullptr
                                                                     : &origins.emitters[node->emitter];
}

std::pair<std::string_view, std::string_view> onnx_node_of(const Origins& origins, const Node& written) {
  const Node* const node = converted_node(origins, written);
  if (node == nullptr) return {};
  const auto find = [&](const std::string& name) -> std::pair<std::string_view, std::string_view> {
    const auto found = origins.operators.find(name);
    if (found == origins.operators.end()) return {};
    return {found->second, found->first};
  };
  const auto exact = find(node->name);
  const std::size_t suffix = node->name.rfind('/');
  return exact.second.empty() && suffix != std::string::npos ? find(node->name.substr(0, suffix)) : exact;
}

std::string type_with_size_names(const Origins& origins, const Node& written, std::size_t output) {
  const Output& own = written.output(output);
  const Node* const node = converted_node(origins, written);
  if (node == nullptr || !own.shape.has_rank()) return type_text(own.type, own.shape);
  const PartialShape& shape = node->output(output).shape;
  if (!shape.has_rank() || shape.rank() != own.shape.rank()) return type_text(own.type, own.shape);
  std::string text(info(own.type).name);
  text += '[';
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (axis != 0) text += ',';
    const SizeExpression* const size = own.shape[axis].is_static() ? nullptr : shape[axis].expression();
    const auto name = size == nullptr ? std::nullopt : named(*size, origins.size_names);
    text += name ? *name : to_string(own.shape[axis]);
  }
  return text + ']';
}

std::string origin_text(const Origins& origins, const Node& written) {
  std::vector<std::string> parts;
  const auto [operation, name] = onnx_node_of(origins, written);
  if (!name.empty()) parts.push_back(std::string(operation) + ' ' + std::string(name));
  if (const Emitter* const emitter = emitter_of(origins, written)) {
    parts.push_back(emitter->name);
    for (const auto& [fault, summary] : emitter->faults) parts.push_back("fault " + fault);
  }
  std::vector<std::string> types;
  bool has_named_sizes = false;
  for (std::size_t i = 0; i < written.outputs().size(); ++i) {
    types.push_back(type_with_size_names(origins, written, i));
    has_named_sizes =
        has_named_sizes || types.back() != type_text(written.output(i).type, written.output(i).shape);
  }
  std::string text = base::joined(parts, ", ");
  if (!has_named_sizes) return text;
  return (text.empty() ? text : text + ": ") + base::joined(types, ", ");
}

}  // namespace onnx2ir::ir
