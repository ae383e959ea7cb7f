// The operations that OpenVINO defines. Those that the compiler never emits have no row in ir/ops: IR of
// other programs that contains them is read as ops::ExtensionOperation, whose outputs have the types of the
// ports.
#pragma once

#include <string_view>

namespace onnx2ir::ir {

/// Whether `opset` ("opset4") defines a version of the operation `type`, as the XML names it.
bool is_openvino_operation(std::string_view type, std::string_view opset);

}  // namespace onnx2ir::ir
