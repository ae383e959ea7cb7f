// Changes of graphs, bodies, functions and declarations of a model.
#pragma once

#include "mutator/parts.hpp"
#include "mutator/random.hpp"

namespace onnx2ir::fuzz {

/// Replaces a node by an If, a Loop, a Scan or a call of a function that contains it.
void enclose_node(onnx::ModelProto& model, const Parts& parts, Random& random);

/// Changes the interface or the initializers of a graph.
void mutate_graph(onnx::GraphProto& graph, const Parts& parts, Random& random);

/// Changes the functions and the versions that the model imports.
void mutate_declarations(onnx::ModelProto& model, const Parts& parts, Random& random);

/// Adds nodes, initializers and functions of another model.
void join_models(onnx::ModelProto& model, const onnx::ModelProto& other, Random& random);

}  // namespace onnx2ir::fuzz
