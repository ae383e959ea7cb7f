// Translators of two operators of a company: docs/extensions.md.
//
// com.example.Swirl moves the elements along the last axis by `turns`, in a circle. From version 2 on it also
// multiplies them by `strength`. org.example.Norm divides by the root of the mean square of the last axis,
// and multiplies by its optional second input.
#include <cstdint>
#include <onnx2ir/extension.hpp>
#include <vector>

using onnx2ir::extension::Node;
using onnx2ir::extension::Translator;
using onnx2ir::extension::Value;
using onnx2ir::extension::Values;

namespace {

/// The elements of the last axis from `begin` to `end`.
Value slice(Node& node, Value x, std::int64_t begin, std::int64_t end) {
  const auto vector = [&](std::int64_t element) { return node.integer_vector({element}); };
  return node.op("Slice", {x, vector(begin), vector(end), vector(1), vector(-1)});
}

Value swirled(Node& node) {
  const Value x = node.input(0);
  const auto shape = x.shape();
  if (!shape || shape->empty() || shape->back() < 1)
    node.fail("the size of its last axis is not known",
              "give the inputs of the model static shapes with --input");
  const std::int64_t size = shape->back();
  const std::int64_t turns = ((node.integer("turns") % size) + size) % size;
  if (turns == 0) return x;
  const Value end = slice(node, x, size - turns, size);
  const Value begin = slice(node, x, 0, size - turns);
  return node.op("Concat", {end, begin}, {{"axis", -1}});
}

Values swirl_1(Node& node) {
  return {swirled(node)};
}

Values swirl_2(Node& node) {
  const Value x = swirled(node);
  return {node.op("Multiply", {x, node.number(node.real("strength", 1), x.type())})};
}

Values norm_1(Node& node) {
  const Value x = node.input(0);
  if (const auto shape = x.shape(); shape && shape->empty())
    node.fail("a scalar has no last axis", "use a tensor of rank 1 or more");
  const Value square = node.op("Multiply", {x, x});
  const Value mean = node.op("ReduceMean", {square, node.integer_constant(-1)}, {{"keep_dims", true}});
  const Value positive = node.op("Add", {mean, node.number(node.real("epsilon", 1e-5), x.type())});
  const Value y = node.op("Divide", {x, node.op("Sqrt", {positive})});
  return {node.has_input(1) ? node.op("Multiply", {y, node.input(1)}) : y};
}

}  // namespace

std::vector<Translator> onnx2ir::extension::translators() {
  return {
      {"com.example", "Swirl", 1, swirl_1},
      {"com.example", "Swirl", 2, swirl_2},
      {"org.example", "Norm", 1, norm_1},
  };
}
