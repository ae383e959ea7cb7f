#include "frontend/frontend.hpp"

#include <onnx/onnx_pb.h>

#include <string>
#include <unordered_set>

#include "frontend/graph/graph_translator.hpp"
#include "frontend/graph/onnx_types.hpp"
#include "frontend/reader/place.hpp"
#include "frontend/reader/tensor_types.hpp"

namespace onnx2ir::frontend {
namespace {

void report_input(const onnx::ValueInfoProto& input, DiagnosticSink& sink) {
  Place place;
  place.graph = std::string(kMainGraphPath);
  const std::string name = "model input '" + input.name() + "'";
  if (input.type().has_tensor_type()) {
    const auto type = input.type().tensor_type().elem_type();
    sink.error("unsupported-type",
               name + " is of element type " + std::string(tensor_type_name(type)) +
                   ", which OpenVINO does not have",
               place);
  } else {
    sink.error("unsupported-type", name + " is no tensor", place);
  }
}

/// Makes a Parameter for each input that has no default; a model of IR version 3 lists its initializers as
/// inputs.
void bind_inputs(const onnx::GraphProto& proto, GraphTranslator& translator) {
  std::unordered_set<std::string_view> initialized;
  for (const auto& tensor : proto.initializer()) initialized.insert(tensor.name());
  for (const auto& tensor : proto.sparse_initializer()) initialized.insert(tensor.values().name());
  for (const onnx::ValueInfoProto& input : proto.input()) {
    if (initialized.contains(input.name())) continue;
    const auto type = to_tensor_type(input.type());
    if (!type) {
      report_input(input, translator.sink());
      translator.bind_unavailable(input.name());
      continue;
    }
    Builder builder(translator.graph());
    builder.set_name(input.name());
    translator.bind(input.name(), builder.parameter(type->type, type->shape));
  }
}

}  // namespace

std::unique_ptr<ir::Model> import_model(const ModelSource& source, const LoadOptions& options,
                                        DiagnosticSink& sink) {
  const auto loaded = load_model(source, options, sink);
  if (!loaded) return nullptr;
  const onnx::GraphProto& proto = loaded->proto().graph();

  auto model = std::make_unique<ir::Model>();
  model->name = proto.name();
  ConversionState conversion{&*loaded, &sink};
  GraphTranslator translator(conversion, model->graph);
  bind_inputs(proto, translator);
  Values outputs;
  const bool complete = translator.translate(proto, outputs);
  if (!complete || sink.has_errors()) {
    if (!sink.has_errors()) throw std::logic_error("a node was passed over without a reason");
    return nullptr;
  }
  Builder builder(model->graph);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    builder.set_name(proto.output(static_cast<int>(i)).name());
    builder.result(outputs[i]);
  }
  return model;
}

}  // namespace onnx2ir::frontend
