#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "frontend/reader/graph_check.hpp"
#include "frontend/reader/tensor_data.hpp"
#include "frontend/reader/weight_table.hpp"

namespace onnx2ir::frontend {

void check_tensor(const onnx::TensorProto& tensor, std::string_view what, const Site& site,
                  BodyCheck& check) {
  const bool external = tensor.data_location() == onnx::TensorProto::EXTERNAL;
  if (external) check.model.weights.open_external(tensor);
  const std::string problem = tensor_problem(tensor, check.model.weights);
  if (problem.empty()) return;
  const std::string name =
      tensor.name().empty() ? std::string(what) : fmt::format("{} '{}'", what, tensor.name());
  check.model.sink.error(external ? "bad-external-data" : "invalid-tensor",
                         fmt::format("The {} is damaged: {}", name, problem), place_of(site, check));
}

void check_tensor(const onnx::SparseTensorProto& tensor, std::string_view what, const Site& site,
                  BodyCheck& check) {
  check_tensor(tensor.values(), what, site, check);
  // Without entries there need be no indices.
  if (tensor.has_indices()) check_tensor(tensor.indices(), what, site, check);
}

}  // namespace onnx2ir::frontend
