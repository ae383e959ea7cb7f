#include "frontend/translators/com_microsoft/delegate.hpp"

#include "frontend/graph/graph_translator.hpp"

namespace onnx2ir::frontend {

Values translate_as(NodeContext& node, std::string_view op, std::int64_t opset, const Operands& inputs) {
  const TranslatorRow* row = node.translator().attempt().input->translators->find("", op, opset);
  if (row == nullptr || !std::holds_alternative<TensorTranslator>(row->translate))
    node.fail("there is no translator of " + std::string(op));
  NodeContext context(node.translator(), node.proto(), opset, inputs);
  Values outputs = std::get<TensorTranslator>(row->translate)(context);
  node.add_reads_of(context);
  return outputs;
}

Operands translate_function_body(NodeContext& node, std::int64_t since) {
  return translate_function_body(node, node.proto(), since, node.operands());
}

Operands translate_function_body(NodeContext& node, const onnx::NodeProto& call, std::int64_t since,
                                 const Operands& inputs) {
  Operands outputs;
  if (!node.translator().emit_onnx_body(call, since, inputs, outputs)) throw base::Failure::reported();
  return outputs;
}

}  // namespace onnx2ir::frontend
