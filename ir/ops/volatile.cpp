// Operations that are not functions of their inputs alone: random numbers, variables that keep a value from
// one inference to the next, and operations of an extension of OpenVINO (ir/extension.hpp).
#include <algorithm>

#include "ir/extension.hpp"
#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/ops/known_elements.hpp"
#include "ir/views/extension.hpp"
#include "ir/views/random.hpp"
#include "ir/views/state.hpp"

namespace onnx2ir::ir {
namespace {

void infer_random_uniform(Node& node) {
  PartialShape shape;
  if (const auto known = known_integers(node, 0)) shape = PartialShape(to_dimensions(*known));
  const RandomUniformView random = node;
  require(random.low().type() == random.output_type() && random.high().type() == random.output_type(),
          "the bounds of RandomUniform must have the type of the numbers");
  set_output(node, 0, random.output_type(), std::move(shape));
}

void infer_multinomial(Node& node) {
  const MultinomialView multinomial = node;
  const PartialShape& shape = multinomial.probabilities().shape();
  const Dimension samples = known_scalar(multinomial.samples()).value_or(-1);
  set_output(node, 0, multinomial.convert_type(), {dimension_along(shape, 0), samples});
}

/// Type and shape are declared by the variable; the input is its value before the first Assign.
void infer_read_value(Node& node) {
  const ReadValueView read_value = node;
  const auto sizes = read_value.variable_shape();
  PartialShape shape(Dimensions(sizes.begin(), sizes.end()));
  require(read_value.initial().type() == read_value.variable_type(),
          "the initial value of a variable has another type");
  require(intersect(shape, read_value.initial().shape()).has_value(),
          "the initial value of a variable has another shape");
  set_output(node, 0, read_value.variable_type(), std::move(shape));
}

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

std::vector<OpFunction> volatile_functions() {
  return {
      {ops::RandomUniform, infer_random_uniform}, {ops::Multinomial, infer_multinomial},
      {ops::ReadValue, infer_read_value},         {ops::Assign, infer_as_data},
      {ops::ExtensionOperation, infer_extension},
  };
}

}  // namespace onnx2ir::ir
