// The origins of the layers of a model, which explain to users why a layer exists. The XML does not contain
// them.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

struct SizeAtom;

/// A stage of the conversion that emits nodes: the front end, a pass or a workaround.
struct Emitter {
  std::string name;     ///< "pass fold_constants"
  std::string summary;  ///< what the stage is for
  /// The faults of OpenVINO that it works around: (name, summary).
  std::vector<std::pair<std::string, std::string>> faults;
};

/// Names of the model's dimensions, by the symbols of their sizes.
using SizeNames = std::unordered_map<const SizeAtom*, std::string>;

struct Origins {
  /// The nodes before they were written, whose names may not be unique, by those of the written model.
  std::unordered_map<const Node*, const Node*> converted;
  /// By Node::emitter of the converted node. Empty if nothing is known of the conversion.
  std::vector<Emitter> emitters;
  /// The operator of each ONNX node, by the name that its layers get from it.
  std::unordered_map<std::string, std::string> operators;
  SizeNames size_names;
};

/// Pairs the nodes of `written`, which is a copy of `converted`, as far as both have the same operations in
/// the same order.
void pair_nodes(const Graph& written, const Graph& converted, Origins& origins);

/// The stage that emitted a node of the written model; null if it is not known.
const Emitter* emitter_of(const Origins& origins, const Node& written);

/// The ONNX node that a node of the written model is named after: (operator, name). Both are empty if no
/// ONNX node has the name. The name "node/WithoutBiases" stands for "node".
std::pair<std::string_view, std::string_view> onnx_node_of(const Origins& origins, const Node& written);

/// One line: "MatMul scores, pass fuse_quantization: f32[batch,past + length]", with the types of the outputs
/// if one of their sizes has a name. Empty if nothing is known.
std::string origin_text(const Origins& origins, const Node& written);

/// The type of an output with the names of its dynamic sizes: "f32[batch,past + length,64]". A size that no
/// sum of products of named sizes gives is "?" or an interval.
std::string type_with_size_names(const Origins& origins, const Node& written, std::size_t output);

}  // namespace onnx2ir::ir
