#include "ir/view.hpp"

#include <string>

#include "ir/op_descriptor.hpp"

namespace onnx2ir::ir {

void fail_view(const Node& node, std::string_view view) {
  throw base::InternalError("a " + std::string(node.op().name) + " is accessed as " + std::string(view));
}

}  // namespace onnx2ir::ir
