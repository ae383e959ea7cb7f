#include "frontend/reader/schemas.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "frontend/reader/bodies.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/operator_index.hpp"
#include "frontend/reader/opset_imports.hpp"
#include "frontend/reader/schema_table.hpp"

namespace onnx2ir::frontend {
namespace {

/// The set of schemas in the library for a domain; empty if it is not a domain of ONNX.
std::string_view set_of(std::string_view domain) {
  domain = canonical_domain(domain);
  if (domain.empty()) return "Onnx";
  if (domain == "ai.onnx.ml") return "OnnxML";
  if (domain == "ai.onnx.training") return "OnnxTraining";
  if (domain == "ai.onnx.preview" || domain == "ai.onnx.preview.training") return "OnnxPreview";
  return {};
}

/// The kind of a type of a schema: "tensor(float16)". Types that are no tensors are `other`.
std::uint8_t kind_of(std::string_view type) {
  constexpr std::string_view kTensor = "tensor(";
  if (!type.starts_with(kTensor)) return InputType::other;
  type.remove_prefix(kTensor.size());
  for (const std::string_view name : {"float", "double", "bfloat"}) {
    if (type.starts_with(name)) return InputType::floating;
  }
  if (type.starts_with("int") || type.starts_with("uint")) return InputType::integer;
  if (type.starts_with("bool")) return InputType::boolean;
  return type.starts_with("string") ? InputType::string : InputType::other;
}

std::vector<InputType> input_types(const onnx::OpSchema& schema) {
  std::vector<InputType> types;
  const auto& inputs = schema.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    InputType type;
    for (const auto* name : inputs[i].GetTypes()) type.kinds |= kind_of(*name);
    const auto same = [&](const auto& other) { return other.GetTypeStr() == inputs[i].GetTypeStr(); };
    const auto first = std::find_if(inputs.begin(), inputs.end(), same) - inputs.begin();
    if (inputs[i].GetIsHomogeneous()) type.group = static_cast<int>(first);
    type.is_required = inputs[i].GetOption() == onnx::OpSchema::Single;
    types.push_back(type);
  }
  return types;
}

struct CachedSchema {
  std::once_flag once;
  std::unique_ptr<onnx::OpSchema> schema;
  std::vector<InputType> inputs;
};

/// Creates schemas at their first use and keeps them for the life of the process: creating all would take
/// longer than converting a small model, and schemas are the same for all models.
const CachedSchema& cached_schema(const SchemaRow& row) {
  static std::vector<CachedSchema> schemas(schema_table().size());
  CachedSchema& cached = schemas[static_cast<std::size_t>(&row - schema_table().data())];
  std::call_once(cached.once, [&] {
    cached.schema = std::make_unique<onnx::OpSchema>(row.make());
    cached.schema->Finalize();
    cached.inputs = input_types(*cached.schema);
  });
  return cached;
}

/// Every node of a model is looked up, several times.
const OperatorIndex<SchemaRow>& schema_index() {
  static const OperatorIndex<SchemaRow> index(schema_table(), &SchemaRow::set);
  return index;
}

/// Null if there is no schema.
const CachedSchema* find_cached(std::string_view domain, std::string_view op_type, std::int64_t opset) {
  const SchemaRow* const row = schema_index().find(set_of(domain), op_type, opset);
  if (row == nullptr) return nullptr;
  const CachedSchema& cached = cached_schema(*row);
  // One set contains two preview domains.
  return cached.schema->domain() == canonical_domain(domain) ? &cached : nullptr;
}

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

const onnx::OpSchema* find_schema(std::string_view domain, std::string_view op_type, std::int64_t opset) {
  const CachedSchema* const cached = find_cached(domain, op_type, opset);
  return cached == nullptr ? nullptr : cached->schema.get();
}

std::span<const InputType> find_input_types(std::string_view domain, std::string_view op_type,
                                            std::int64_t opset) {
  const CachedSchema* const cached = find_cached(domain, op_type, opset);
  return cached == nullptr ? std::span<const InputType>{} : cached->inputs;
}

std::optional<std::int64_t> newest_opset(std::string_view domain) {
  // ThreadSanitizer does not see how the ONNX library, which is built without it, initialises the map once.
  static const auto& ranges = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  const auto found = ranges.find(std::string(canonical_domain(domain)));
  if (found == ranges.end()) return std::nullopt;
  return found->second.second;
}

std::optional<std::int64_t> first_opset_with(std::string_view domain, std::string_view op_type) {
  const auto rows = schema_index().rows(set_of(domain), op_type);
  if (rows.empty()) return std::nullopt;
  return rows.front().since;
}

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
