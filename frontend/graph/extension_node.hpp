// The node, values and attributes that a translator of a library (include/onnx2ir/extension.h) refers to.
#pragma once

#include <onnx2ir/extension.h>

#include <deque>
#include <exception>
#include <span>
#include <string_view>
#include <vector>

#include "frontend/graph/node_context.hpp"
#include "frontend/mapping/extension_library.hpp"
#include "ir/op_descriptor.hpp"

/// A node while a translator of a library converts it: what the handles and pointers of the library refer to.
struct onnx2ir_node {
  onnx2ir::frontend::NodeContext* context;
  /// A handle is an index into this list plus one.
  std::vector<onnx2ir::ir::Value> values;
  std::vector<onnx2ir::ir::Value> outputs;
  // Deques: elements keep their addresses.
  std::deque<std::vector<std::int64_t>> integers;
  std::deque<std::vector<double>> reals;
  std::deque<std::vector<onnx2ir_text>> texts;
  /// The first error.
  std::exception_ptr problem;
};

namespace onnx2ir::frontend {

inline onnx2ir_text view(std::string_view text) {
  return {text.data(), text.size()};
}

template <typename Element>
std::span<const Element> list(const Element* elements, std::size_t count) {
  return count == 0 ? std::span<const Element>() : std::span(elements, count);
}

/// The node's attribute for the library, whose elements `node` owns.
onnx2ir_attribute read_attribute(onnx2ir_node& node, onnx2ir_text name);
/// The attributes of a library for an operation. Fails if the operation has no such attribute, or lacks one.
std::vector<ir::Attribute> attributes_of(const NodeContext& context, const ir::OpDescriptor& op,
                                         std::span<const onnx2ir_attribute> given);

}  // namespace onnx2ir::frontend
