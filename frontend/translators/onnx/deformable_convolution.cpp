#include "frontend/translators/onnx/deformable_convolution.hpp"

#include <string>

#include "frontend/translators/onnx/window.hpp"

namespace onnx2ir::frontend {

Value emit_deformable_convolution(NodeContext& node, const Values& inputs, const DeformableForm& form) {
  if (node.rank(inputs[0]) != 4) node.fail("only two spatial axes can be expressed");
  const Window window = window_of(node, 2);
  const std::int64_t groups = node.integer_attribute("group", 1);
  const std::int64_t offset_groups = node.integer_attribute(form.offset_groups, 1);
  if (groups < 1 || offset_groups < 1) {
    node.fail("attributes 'group' and '" + std::string(form.offset_groups) + "' must be positive");
  }
  return node
      .node(ops::DeformableConvolution, inputs,
            attributes_of(window, {{"group", groups},
                                   {"deformable_group", offset_groups},
                                   {"bilinear_interpolation_pad", form.pads_when_interpolating}}))
      .value();
}

}  // namespace onnx2ir::frontend
