// Changes of nodes and of their attributes.
#pragma once

#include "mutator/parts.hpp"
#include "mutator/random.hpp"

namespace onnx2ir::fuzz {

void mutate_attribute(onnx::AttributeProto& attribute, Random& random);

/// Changes operator, inputs, outputs or attributes. `list` contains the node.
void mutate_node(onnx::NodeProto& node, const NodeList& list, const Parts& parts, Random& random);

/// Removes, repeats, moves or adds a node.
void mutate_node_list(NodeList& list, const Parts& parts, Random& random);

/// A name of a value: of a node's output, an input, an initializer; sometimes one that does not exist.
std::string random_value_name(const NodeList& list, const Parts& parts, Random& random);

}  // namespace onnx2ir::fuzz
