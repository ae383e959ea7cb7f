// Operations of an extension of OpenVINO: see ir/extension.hpp.
#include "ir/extension.hpp"

#include <algorithm>

#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/views/extension.hpp"

namespace onnx2ir::ir {
namespace {

/// The XML has an attribute for each text.
void check_attributes(const Node& node) {
  std::vector<std::string_view> names;
  for (const std::string& text : node.texts("attributes")) {
    names.push_back(split_extension_attribute(text).name);
    if (!is_attribute_name(names.back())) invalid("'" + text + "' is not an attribute 'name=value'");
  }
  std::ranges::sort(names);
  require(std::ranges::adjacent_find(names) == names.end(), "an attribute is given twice");
}

/// Types and shapes are declared by the attributes.
void infer_extension(Node& node) {
  const ExtensionOperationView extension = node;
  check_attributes(node);
  const auto& types = extension.types();
  const auto ranks = extension.ranks();
  const auto sizes = extension.sizes();
  require(types.size() == node.outputs().size() && ranks.size() == types.size(),
          "'types' and 'ranks' need an element for each output");
  std::size_t next = 0;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto type = element_type_from_name(types[i]);
    if (!type) invalid("there is no element type '" + types[i] + "'");
    PartialShape shape = PartialShape::unknown_rank();
    if (ranks[i] >= 0) {
      const auto rank = static_cast<std::size_t>(ranks[i]);
      require(rank <= sizes.size() - next, "'sizes' needs an element for each axis of the outputs");
      check_rank(rank);
      const auto first = sizes.begin() + static_cast<std::ptrdiff_t>(next);
      shape = PartialShape(Dimensions(first, first + ranks[i]));
      next += rank;
    }
    set_output(node, i, *type, std::move(shape));
  }
  require(next == sizes.size(), "'sizes' needs an element for each axis of the outputs");
}

}  // namespace

std::vector<OpFunction> extension_functions() {
  return {
      {ops::ExtensionOperation, infer_extension},
  };
}

}  // namespace onnx2ir::ir
