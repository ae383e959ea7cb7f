// All parts of a model: in the main graph, in bodies, in functions.
#pragma once

#include <vector>

#include "frontend/reader/onnx_proto.hpp"

namespace onnx2ir::fuzz {

using NodeList = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

/// Valid until the model is changed.
struct Parts {
  std::vector<onnx::GraphProto*> graphs;
  std::vector<NodeList*> node_lists;  ///< of the graphs and of the functions
  std::vector<onnx::NodeProto*> nodes;
  std::vector<onnx::AttributeProto*> attributes;
  std::vector<onnx::TensorProto*> tensors;
  std::vector<onnx::ValueInfoProto*> values;  ///< inputs and outputs of graphs
};

Parts parts_of(onnx::ModelProto& model);

}  // namespace onnx2ir::fuzz
