// Reads the bytes of a model into a checked onnx::ModelProto that does not contain its weights.
//
// Tensors of the loaded model must be read with read_tensor (tensor_data.hpp), never with raw_data(): long
// raw data is replaced by a reference into the WeightTable before protobuf parses the model, and data may be
// in other files.
#pragma once

#include <filesystem>
#include <memory>
#include <onnx2ir/diagnostic.hpp>
#include <onnx2ir/options.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/input_file.hpp"
#include "frontend/reader/interface_change.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/opset_imports.hpp"
#include "frontend/reader/tensor_data.hpp"

namespace google::protobuf {
class Arena;
}  // namespace google::protobuf

namespace onnx2ir::frontend {

class FunctionIndex;

/// The source of a model: a file (protobuf or ONNX text, recognised by extension and content), a serialized
/// ModelProto in memory, or ONNX text. Memory must stay valid during load_model only: the needed parts are
/// copied once.
using ModelSource = std::variant<std::filesystem::path, std::span<const std::byte>, std::string_view>;

/// A model that has been read and checked. Immutable, so any number of threads may read it.
class LoadedModel {
 public:
  struct Parts {
    std::shared_ptr<google::protobuf::Arena> arena;  ///< owns `proto`
    const onnx::ModelProto* proto;
    std::shared_ptr<const WeightTable> weights;
    std::shared_ptr<const base::InputFile> file;  ///< null if the model came from memory
    std::shared_ptr<const FunctionIndex> functions;
    OpsetImports opsets;
    InputOverrides overrides;
    bool is_ordered;
  };

  explicit LoadedModel(Parts parts) : parts_(std::move(parts)) {}

  /// The checked model, without documentation strings.
  const onnx::ModelProto& proto() const { return *parts_.proto; }
  /// The versions of the operator domains for the graph's nodes. For a function, see the result of
  /// bind_function.
  const OpsetImports& opsets() const { return parts_.opsets; }
  /// Requested changes of the inputs that the message cannot express.
  const InputOverrides& overrides() const { return parts_.overrides; }
  /// Whether the nodes of all graphs and of the model's own functions are in topological order.
  bool is_ordered() const { return parts_.is_ordered; }
  /// The model's own function that `node` calls; null if it calls none. It hides ONNX's operator of the same
  /// name.
  const onnx::FunctionProto* find_function(const onnx::NodeProto& node) const;
  /// The bytes of the tensors.
  const WeightTable& weights() const { return *parts_.weights; }
  /// The opened files: the model's own, if it was read from one, and those of external data.
  std::vector<std::shared_ptr<const base::InputFile>> files() const;

 private:
  Parts parts_;
};

/// Reads and checks a model. Reports all errors to `sink`, and returns no value if there is one other than an
/// undefined name. `external_paths`, unless null, receives the paths of external data, also if the model
/// cannot be loaded. Throws Failure (unreadable_input) if a file cannot be read to its end.
std::optional<LoadedModel> load_model(const ModelSource& source, const Options& options, DiagnosticSink& sink,
                                      std::vector<std::filesystem::path>* external_paths = nullptr);

}  // namespace onnx2ir::frontend
