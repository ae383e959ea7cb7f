#include <fmt/core.h>

#include "base/failure.hpp"
#include "frontend/reader/external_data.hpp"
#include "frontend/reader/graph_check.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/tensor_data.hpp"
#include "frontend/reader/weight_table.hpp"

namespace onnx2ir::frontend {

void check_tensor(const onnx::TensorProto& tensor, std::string_view what, const Site& site,
                  BodyCheck& check) {
  const bool external = tensor.data_location() == onnx::TensorProto::EXTERNAL;
  if (external) check.model.weights.open_external(tensor);
  const auto problem = tensor_problem(tensor, check.model.weights);
  if (!problem) return;
  const std::string name =
      tensor.name().empty() ? std::string(what) : fmt::format("{} '{}'", what, tensor.name());
  Diagnostic diagnostic = base::diagnostic_of(
      external ? Problem{DiagnosticCode::bad_external_data,
                         fmt::format("The {} cannot be read: {}", name, problem->message), problem->hint}
               : Problem{DiagnosticCode::invalid_tensor,
                         fmt::format("The {} is damaged: {}", name, problem->message)},
      place_of(site, check));
  std::optional<std::string> location;
  if (external) {
    if (auto range = parse_external_range(tensor)) location = std::move(range->location);
  }
  if (!location) return check.model.sink.report(std::move(diagnostic));
  UnreadableFile& file = check.model.unreadable_files[*location];
  if (file.tensors.empty()) file.first = std::move(diagnostic);
  file.tensors.push_back(tensor.name());
}

void check_tensor(const onnx::SparseTensorProto& tensor, std::string_view what, const Site& site,
                  BodyCheck& check) {
  check_tensor(tensor.values(), what, site, check);
  // A tensor without entries need not have indices.
  if (tensor.has_indices()) check_tensor(tensor.indices(), what, site, check);
}

}  // namespace onnx2ir::frontend
