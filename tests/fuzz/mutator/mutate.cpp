#include "mutator/mutate.hpp"

#include "mutator/nodes.hpp"
#include "mutator/structure.hpp"
#include "mutator/values.hpp"

namespace onnx2ir::fuzz {
namespace {

template <typename T>
T& any_of(const std::vector<T*>& parts, Random& random) {
  return *parts[random.below(parts.size())];
}

bool parse(onnx::ModelProto& model, std::string_view bytes) {
  return model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace

void mutate(onnx::ModelProto& model, Random& random) {
  const Parts parts = parts_of(model);
  switch (random.below(16)) {
    case 0:
      enclose_node(model, parts, random);
      break;
    case 1:
      mutate_graph(any_of(parts.graphs, random), parts, random);
      break;
    case 2:
      mutate_declarations(model, parts, random);
      break;
    case 3:
    case 4:
      mutate_node_list(any_of(parts.node_lists, random), parts, random);
      break;
    case 5:
    case 6:
      if (!parts.values.empty()) mutate_type(*any_of(parts.values, random).mutable_type(), random);
      break;
    case 7:
    case 8:
    case 9:
      if (!parts.tensors.empty()) mutate_tensor(any_of(parts.tensors, random), random);
      break;
    case 10:
    case 11:
    case 12:
      if (!parts.attributes.empty()) mutate_attribute(any_of(parts.attributes, random), random);
      break;
    default: {
      NodeList& list = any_of(parts.node_lists, random);
      if (list.empty()) break;
      mutate_node(*list.Mutable(any_index(list.size(), random)), list, parts, random);
    }
  }
}

std::string mutated_model(std::string_view bytes, Random& random) {
  onnx::ModelProto model;
  if (!parse(model, bytes)) return {};
  const std::size_t changes = std::size_t{1} << random.below(4);
  for (std::size_t i = 0; i < changes; ++i) mutate(model, random);
  return model.SerializeAsString();
}

std::string joined_models(std::string_view model, std::string_view other, Random& random) {
  onnx::ModelProto first;
  onnx::ModelProto second;
  if (!parse(first, model) || !parse(second, other)) return {};
  join_models(first, second, random);
  return first.SerializeAsString();
}

}  // namespace onnx2ir::fuzz
