#include "api/origins.hpp"

#include <cstddef>
#include <string>

#include "frontend/model_names.hpp"
#include "ir/size_expression.hpp"
#include "passes/emitters.hpp"

namespace onnx2ir {
namespace {

/// The names that the ONNX model gives to the sizes of its inputs.
void add_size_names(const Model::Implementation& converted, ir::SizeNames& names) {
  for (const ir::Node* parameter : converted.model->graph.parameters()) {
    const ir::PartialShape& shape = parameter->output(0).shape;
    for (const std::string& tensor : parameter->output(0).names) {
      const auto found = converted.input_names.find(tensor);
      if (found == converted.input_names.end() || !shape.has_rank() || found->second.size() != shape.rank())
        continue;
      for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        const ir::SizeExpression* const size = shape[axis].expression();
        const bool is_symbol = size != nullptr && size->terms.size() == 1 &&
                               size->terms[0].factors.size() == 1 && size->terms[0].numerator == 1 &&
                               size->terms[0].denominator == 1;
        if (is_symbol && !found->second[axis].empty())
          names.emplace(size->terms[0].factors[0], found->second[axis]);
      }
    }
  }
}

}  // namespace

ir::Origins origins_of(const Model::Implementation& converted, const ir::Model& written) {
  ir::Origins origins;
  if (!converted.is_converted) return origins;
  ir::pair_nodes(written.graph, converted.model->graph, origins);
  origins.emitters = passes::emitters();
  if (converted.source) origins.operators = frontend::operators_by_name(*converted.source);
  add_size_names(converted, origins.size_names);
  return origins;
}

}  // namespace onnx2ir
