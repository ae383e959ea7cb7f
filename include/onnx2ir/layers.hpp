// The layers of a converted model, for programs that examine or translate it without parsing XML.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace onnx2ir {

/// The sizes that a dimension of a port may have, and its name in the ONNX model.
struct PortDimension {
  std::int64_t min = 0;
  std::int64_t max = -1;  ///< -1: no upper bound
  std::string name;       ///< empty: none, or a static dimension

  friend bool operator==(const PortDimension&, const PortDimension&) = default;
};

/// The output of a layer that an input reads.
struct LayerInput {
  std::uint64_t layer = 0;  ///< Layer::id
  std::uint32_t output = 0;

  friend bool operator==(const LayerInput&, const LayerInput&) = default;
};

struct LayerOutput {
  std::string element_type;               ///< IR name: "f32"
  bool has_rank = true;                   ///< false: the rank is dynamic
  std::vector<PortDimension> dimensions;  ///< without names
  std::vector<std::string> names;         ///< of the tensor in the ONNX model
};

/// How a value gets into or out of the body of a Loop or an If.
struct BodyPort {
  enum class Kind : std::uint8_t {
    captured,   ///< `parameter` is the value of `input`
    state,      ///< `parameter` is `input`, then `result` of the iteration before; `output` is the last one
    slice,      ///< `parameter` is a part of `input` along `axis`, a different one in each iteration
    scan,       ///< `output` is `result` of all iterations, one after the other along `axis`
    result,     ///< `output` is `result`, in a Loop that of the last iteration
    iteration,  ///< `parameter` is the number of the iteration
    condition   ///< `result` is whether another iteration follows
  };
  Kind kind = Kind::captured;
  std::optional<std::uint32_t> input;      ///< index of an input of the layer
  std::optional<std::uint64_t> parameter;  ///< Layer::id of a Parameter of the body
  std::optional<std::uint64_t> result;     ///< Layer::id of a Result of the body
  std::optional<std::uint32_t> output;     ///< index of an output of the layer
  std::int64_t axis = 0;                   ///< of slices and scans, with the next four, as in the XML
  std::int64_t start = 0;
  std::int64_t end = -1;
  std::int64_t stride = 1;
  std::int64_t part_size = 1;
};

struct LayerBody {
  std::string name;  ///< "body", "then_branch" or "else_branch"
  std::vector<BodyPort> ports;
};

/// The bytes of a Const, as they are in the .bin.
struct LayerConstant {
  std::uint64_t size = 0;
  /// Copies bytes from `offset` on. Valid during the call of the visitor. Throws std::runtime_error if a file
  /// of the model cannot be read any more.
  std::function<void(std::uint64_t offset, std::span<std::byte> target)> read;
};

/// A layer. Layers come in an order in which each one follows those that it reads; those of bodies come
/// before the layer that has the body.
struct Layer {
  std::uint64_t id = 0;  ///< the position in this order
  std::string name;      ///< unique in its graph
  std::string type;      ///< "MatMul"
  std::string opset;     ///< the version of the operation: "opset1"
  std::string graph;     ///< the path of the body that it is in: "loop/body"; empty for the main graph
  std::vector<std::pair<std::string, std::string>> attributes;  ///< with values as in the XML
  std::vector<LayerInput> inputs;
  std::vector<LayerOutput> outputs;
  std::optional<LayerConstant> constant;  ///< of a Const
  std::vector<LayerBody> bodies;          ///< of a Loop or an If
};

/// Called for each layer; returns false to stop.
using LayerVisitor = std::function<bool(const Layer& layer)>;

}  // namespace onnx2ir
