#include "mutator/parts.hpp"

namespace onnx2ir::fuzz {
namespace {

class Collector {
 public:
  void graph(onnx::GraphProto& graph) {
    parts_.graphs.push_back(&graph);
    for (auto& tensor : *graph.mutable_initializer()) parts_.tensors.push_back(&tensor);
    for (auto& value : *graph.mutable_input()) parts_.values.push_back(&value);
    for (auto& value : *graph.mutable_output()) parts_.values.push_back(&value);
    nodes(*graph.mutable_node());
  }
  void nodes(NodeList& list) {
    parts_.node_lists.push_back(&list);
    for (auto& node : list) {
      parts_.nodes.push_back(&node);
      for (auto& attribute : *node.mutable_attribute()) this->attribute(attribute);
    }
  }
  Parts take() { return std::move(parts_); }

 private:
  void attribute(onnx::AttributeProto& attribute) {
    parts_.attributes.push_back(&attribute);
    if (attribute.has_t()) parts_.tensors.push_back(attribute.mutable_t());
    for (auto& tensor : *attribute.mutable_tensors()) parts_.tensors.push_back(&tensor);
    if (attribute.has_sparse_tensor()) {
      parts_.tensors.push_back(attribute.mutable_sparse_tensor()->mutable_values());
      parts_.tensors.push_back(attribute.mutable_sparse_tensor()->mutable_indices());
    }
    if (attribute.has_g()) graph(*attribute.mutable_g());
    for (auto& body : *attribute.mutable_graphs()) graph(body);
  }

  Parts parts_;
};

}  // namespace

Parts parts_of(onnx::ModelProto& model) {
  Collector collector;
  collector.graph(*model.mutable_graph());
  for (auto& function : *model.mutable_functions()) collector.nodes(*function.mutable_node());
  return collector.take();
}

}  // namespace onnx2ir::fuzz
