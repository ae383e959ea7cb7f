#include "mutator/operators.hpp"

#include <array>
#include <onnx2ir/onnx2ir.hpp>
#include <string_view>

namespace onnx2ir::fuzz {
namespace {

std::vector<Operator> all_operators() {
  std::vector<Operator> operators;
  for (OperatorInfo& info : supported_operators())
    operators.push_back({std::move(info.domain), std::move(info.name)});
  return operators;
}

}  // namespace

const Operator& random_operator(Random& random) {
  static const std::vector<Operator> kOperators = all_operators();
  return random.pick(kOperators);
}

std::string random_attribute_name(Random& random) {
  static constexpr std::array<std::string_view, 40> kNames = {"axis",
                                                              "axes",
                                                              "keepdims",
                                                              "to",
                                                              "perm",
                                                              "pads",
                                                              "strides",
                                                              "dilations",
                                                              "group",
                                                              "kernel_shape",
                                                              "auto_pad",
                                                              "ceil_mode",
                                                              "mode",
                                                              "direction",
                                                              "activations",
                                                              "hidden_size",
                                                              "layout",
                                                              "alpha",
                                                              "beta",
                                                              "epsilon",
                                                              "num_outputs",
                                                              "split",
                                                              "block_size",
                                                              "blocksize",
                                                              "batch_dims",
                                                              "reduction",
                                                              "select_last_index",
                                                              "largest",
                                                              "sorted",
                                                              "new_axis",
                                                              "allowzero",
                                                              "start",
                                                              "end",
                                                              "dtype",
                                                              "equation",
                                                              "scan_input_axes",
                                                              "scan_input_directions",
                                                              "num_scan_inputs",
                                                              "scales",
                                                              "output_shape"};
  return std::string(random.pick(kNames));
}

}  // namespace onnx2ir::fuzz
