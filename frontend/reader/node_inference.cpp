#include "frontend/reader/node_inference.hpp"

#include <onnx/defs/schema.h>

#include <stdexcept>
#include <vector>

#include "frontend/reader/bodies.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/schemas.hpp"

namespace onnx2ir::frontend {
namespace {

/// What ONNX's inference asks: only types and attributes are known.
class Context final : public onnx::InferenceContext {
 public:
  Context(const onnx::NodeProto& node, std::span<const onnx::TypeProto> inputs)
      : node_(node), inputs_(inputs), outputs_(static_cast<std::size_t>(node.output_size())) {}

  const onnx::AttributeProto* getAttribute(const std::string& name) const override {
    return find_attribute(node_, name);
  }
  std::size_t getNumInputs() const override { return inputs_.size(); }
  const onnx::TypeProto* getInputType(std::size_t index) const override {
    if (index >= inputs_.size()) return nullptr;
    return inputs_[index].value_case() == onnx::TypeProto::VALUE_NOT_SET ? nullptr : &inputs_[index];
  }
  const onnx::TensorProto* getInputData(std::size_t /*index*/) const override { return nullptr; }
  const onnx::SparseTensorProto* getInputSparseData(std::size_t /*index*/) const override { return nullptr; }
  const onnx::TensorShapeProto* getSymbolicInput(std::size_t /*index*/) const override { return nullptr; }
  std::size_t getNumOutputs() const override { return outputs_.size(); }
  onnx::TypeProto* getOutputType(std::size_t index) override { return &outputs_.at(index); }
  onnx::GraphInferencer* getGraphAttributeInferencer(const std::string& /*name*/) override { return nullptr; }

 private:
  const onnx::NodeProto& node_;
  std::span<const onnx::TypeProto> inputs_;
  std::vector<onnx::TypeProto> outputs_;
};

}  // namespace

std::optional<std::string> inference_problem(const onnx::NodeProto& node, std::int64_t opset,
                                             std::span<const onnx::TypeProto> input_types) {
  const onnx::OpSchema* const schema = find_schema(node.domain(), node.op_type(), opset);
  if (schema == nullptr || has_body(node)) return std::nullopt;
  Context context(node, input_types);
  try {
    schema->GetTypeAndShapeInferenceFunction()(context);
  } catch (const std::runtime_error& error) {  // onnx::InferenceError
    return error.what();
  } catch (const std::logic_error&) {
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace onnx2ir::frontend
