// Matrix and tensor products, and scaled dot-product attention.
#include "ir/views/linear_algebra.hpp"

#include <map>
#include <utility>

#include "ir/einsum_equation.hpp"
#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/views/attention.hpp"

namespace onnx2ir::ir {
namespace {

void infer_mat_mul(Node& node) {
  const MatMulView product = node;
  const ElementType type = same_type(node, 0, 2);
  PartialShape a = product.a().shape();
  PartialShape b = product.b().shape();
  if (!a.has_rank() || !b.has_rank()) return set_output(node, 0, type, PartialShape::unknown_rank());
  require(a.rank() > 0 && b.rank() > 0, "MatMul does not accept scalars");
  const bool a_is_vector = a.rank() == 1;
  const bool b_is_vector = b.rank() == 1;
  auto& x = a.mutable_dimensions();
  auto& y = b.mutable_dimensions();
  // A vector is a row on the left and a column on the right, and is not transposed.
  if (a_is_vector) {
    x.insert(x.begin(), 1);
  } else if (product.transpose_a()) {
    std::swap(x[x.size() - 1], x[x.size() - 2]);
  }
  if (b_is_vector) {
    y.emplace_back(1);
  } else if (product.transpose_b()) {
    std::swap(y[y.size() - 1], y[y.size() - 2]);
  }
  if (!intersect(x.back(), y[y.size() - 2])) {
    invalid("MatMul's inner dimensions differ: " + to_string(product.a().shape()) + " and " +
            to_string(product.b().shape()));
  }
  const Dimension rows = x[x.size() - 2];
  const Dimension columns = y.back();
  x.resize(x.size() - 2);
  y.resize(y.size() - 2);
  auto shape = broadcast(a, b);
  if (!shape) {
    invalid("MatMul's batch dimensions cannot be broadcast together: " + to_string(product.a().shape()) +
            " and " + to_string(product.b().shape()));
  }
  if (!a_is_vector) shape->mutable_dimensions().push_back(rows);
  if (!b_is_vector) shape->mutable_dimensions().push_back(columns);
  set_output(node, 0, type, *std::move(shape));
}

void bind_label(std::map<char, PartialShape>& bound, char label, const PartialShape& shape) {
  const auto [place, is_new] = bound.try_emplace(label, shape);
  if (is_new) return;
  const auto merged = broadcast(place->second, shape);
  require(merged.has_value(), "the dimensions of an Einsum label differ");
  place->second = *merged;
}

void infer_einsum(Node& node) {
  const ElementType type = same_type(node, 0, node.inputs().size());
  const EinsumEquation equation = parse_einsum(EinsumView(node).equation());
  require(equation.inputs.size() == node.inputs().size(), "an Einsum equation needs one term for each input");
  std::map<char, PartialShape> bound;
  for (std::size_t i = 0; i < equation.inputs.size(); ++i) {
    const std::string& labels = equation.inputs[i];
    const PartialShape& shape = node.input(i).shape();
    if (!shape.has_rank()) return set_output(node, 0, type, PartialShape::unknown_rank());
    const bool has_ellipsis = labels.find('.') != std::string::npos;
    const std::size_t named = labels.size() - (has_ellipsis ? 1 : 0);
    require(has_ellipsis ? shape.rank() >= named : shape.rank() == named,
            "an Einsum term needs one label for each dimension of its input");
    std::size_t axis = 0;
    std::map<char, Dimension> diagonals;
    for (const char label : labels) {
      const std::size_t width = label == '.' ? shape.rank() - named : 1;
      if (label != '.') {
        const Dimension first = diagonals.try_emplace(label, shape[axis]).first->second;
        require(intersect(first, shape[axis]).has_value(),
                "axes of an Einsum term with the same label must have the same size");
      }
      const auto dimensions = shape.dimensions().subspan(axis, width);
      bind_label(bound, label, PartialShape(Dimensions(dimensions.begin(), dimensions.end())));
      axis += width;
    }
  }
  PartialShape shape = PartialShape::scalar();
  for (const char label : equation.output) {
    const auto place = bound.find(label);
    require(place != bound.end(), "an Einsum output has a label that no input has");
    for (const Dimension& dimension : place->second) shape.mutable_dimensions().push_back(dimension);
  }
  set_output(node, 0, type, std::move(shape));
}

void infer_inverse(Node& node) {
  require(is_floating(node.input(0).type()), "Inverse takes floating-point matrices");
  infer_as_data(node);
}

/// The dimensions of a shape before the last two.
PartialShape batch_of(const PartialShape& shape) {
  const auto all = shape.dimensions();
  return PartialShape(Dimensions(all.begin(), all.end() - 2));
}

const Dimension& from_end(const PartialShape& shape, std::size_t place) {
  return shape[shape.rank() - place];
}

void widen(PartialShape& shape, const PartialShape& other, std::string_view what) {
  const auto merged = broadcast(shape, other);
  if (!merged) invalid("ScaledDotProductAttention's " + std::string(what) + " does not fit its other inputs");
  shape = *merged;
}

void infer_attention(Node& node) {
  const ScaledDotProductAttentionView attention = node;
  const ElementType type = same_type(node, 0, 3);
  require(is_floating(type), "ScaledDotProductAttention takes floating-point numbers");
  const PartialShape& query = attention.query().shape();
  const PartialShape& key = attention.key().shape();
  const PartialShape& value = attention.value().shape();
  for (const PartialShape* shape : {&query, &key, &value}) {
    require(shape->has_rank() && shape->rank() >= 3,
            "ScaledDotProductAttention takes inputs of at least three dimensions");
  }
  require(intersect(from_end(query, 1), from_end(key, 1)).has_value(),
          "query and key of ScaledDotProductAttention have heads of different sizes");
  require(intersect(from_end(key, 2), from_end(value, 2)).has_value(),
          "ScaledDotProductAttention needs as many keys as values");
  PartialShape batch = batch_of(query);
  widen(batch, batch_of(key), "key");
  widen(batch, batch_of(value), "value");
  PartialShape rows{from_end(query, 2)};
  if (attention.mask() && !attention.causal() && !attention.mask().shape().is_scalar()) {
    const PartialShape& mask = attention.mask().shape();
    require(mask.has_rank() && mask.rank() >= 2,
            "ScaledDotProductAttention takes masks of two dimensions or more");
    require(mask.rank() <= query.rank(), "ScaledDotProductAttention's mask has too many dimensions");
    widen(batch, batch_of(mask), "mask");
    widen(rows, PartialShape{from_end(mask, 2)}, "mask");
  }
  batch.mutable_dimensions().push_back(rows[0]);
  batch.mutable_dimensions().push_back(from_end(value, 1));
  set_output(node, 0, type, std::move(batch));
}

}  // namespace

std::vector<OpFunction> linear_algebra_functions() {
  return {
      {ops::MatMul, infer_mat_mul},
      {ops::Einsum, infer_einsum},
      {ops::Inverse, infer_inverse},
      {ops::ScaledDotProductAttention, infer_attention},
  };
}

}  // namespace onnx2ir::ir
