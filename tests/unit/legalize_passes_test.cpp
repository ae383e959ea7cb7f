// Legalisations of single operations: each fires where the runtime is wrong, and leaves alone what is right.
#include <algorithm>

#include "catch.hpp"
#include "ir/builder.hpp"
#include "ir/inference.hpp"
#include "passes/passes.hpp"

using namespace onnx2ir;
using ir::Value;

namespace {

using PassFunction = bool (*)(ir::Model&, passes::PassContext&);
using Sizes = std::vector<std::int64_t>;
constexpr auto f32 = ir::ElementType::f32;

/// A model that the test fills in.
struct TestModel {
  ir::Model model;
  ir::Builder builder{model.graph};

  Value input(ir::PartialShape shape, ir::ElementType type = f32) {
    return builder.parameter(type, std::move(shape));
  }
  /// The node that `output` comes from after `pass`, whose second run must change nothing.
  const ir::Node& after(PassFunction pass, Value output) {
    const ir::Node& result = builder.result(output);
    passes::PassContext context;
    pass(model, context);
    model.graph.sort();
    model.graph.remove_dead_nodes();
    ir::infer(model.graph);
    CHECK_FALSE(pass(model, context));
    return *result.input(0).node;
  }
  std::size_t count(std::string_view operation) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(model.graph.nodes(), [&](const auto& node) { return node->is(operation); }));
  }
};

/// The number of parts of the Concat that a ReduceMax reads after the pass.
std::size_t parts_after(ir::PartialShape first, ir::PartialShape second, std::int64_t axis) {
  TestModel test;
  const Value joined =
      test.builder.op("Concat", {test.input(std::move(first)), test.input(std::move(second))}, {{"axis", 0}});
  const Value reduced =
      test.builder.op("ReduceMax", {joined, test.builder.integers({axis})}, {{"keep_dims", false}});
  return test.after(passes::separate_concat_reductions, reduced).input(0).node->inputs().size();
}

/// The equation and the number of inputs of what is left of an Einsum.
const ir::Node& einsum_after(TestModel& test, std::string equation, std::vector<ir::PartialShape> shapes) {
  std::vector<Value> inputs;
  for (ir::PartialShape& shape : shapes) inputs.push_back(test.input(std::move(shape)));
  const Value product = test.builder.op("Einsum", inputs, {{"equation", std::move(equation)}});
  return test.after(passes::decompose_einsum_labels, product);
}

}  // namespace

TEST_CASE("reductions of a Concat of two tensors read three", "[legalize]") {
  CHECK(parts_after({3}, {1}, 0) == 3);
  CHECK(parts_after({-1}, {1}, 0) == 3);
  CHECK(parts_after({1}, {1}, 0) == 2);
  CHECK(parts_after({3, 2}, {1, 2}, 1) == 2);
}

TEST_CASE("boolean masks of attention become numbers", "[legalize]") {
  TestModel test;
  const Value x = test.input({1, 1, 4, 8});
  const Value mask = test.input({4, 4}, ir::ElementType::boolean);
  const ir::Node& attention =
      test.after(passes::convert_attention_masks,
                 test.builder.op("ScaledDotProductAttention", {x, x, x, mask}, {{"causal", false}}));
  CHECK(attention.input(3).type() == f32);
  CHECK(attention.input(3).shape() == ir::PartialShape{4, 4});
}

TEST_CASE("ellipses and repeated labels of Einsum are taken apart", "[legalize]") {
  {
    TestModel test;
    const ir::Node& product = einsum_after(test, "...ij,...jk->...ik", {{2, 3, 4}, {2, 4, 5}});
    CHECK(product.text("equation") == "aij,ajk->aik");
    CHECK(product.output(0).shape == ir::PartialShape{2, 3, 5});
  }
  {
    TestModel test;
    const ir::Node& product = einsum_after(test, "...ij,...jk->...ik", {{1, 3, 4}, {2, 4, 5}});
    CHECK(product.text("equation") == "ij,ajk->aik");
  }
  {
    // Sizes that may have to be broadcast at run time.
    TestModel test;
    CHECK(einsum_after(test, "...i,...i->...", {{-1, 3}, {-1, 3}}).text("equation") == "...i,...i->...");
  }
  {
    TestModel test;
    const ir::Node& diagonal = einsum_after(test, "bii->bi", {{2, 5, 5}});
    CHECK(diagonal.output(0).shape == ir::PartialShape{2, 5});
    CHECK(test.count("Einsum") == 0);
  }
  {
    TestModel test;
    CHECK(einsum_after(test, "i,->i", {{3}, ir::PartialShape::scalar()}).is("Multiply"));
  }
}

TEST_CASE("dilated averages become convolutions of the same shape", "[legalize]") {
  for (const bool ceil : {false, true}) {
    for (const bool exclude_pad : {false, true}) {
      TestModel test;
      const Value x = test.input({2, 3, 9, 8});
      const Value average = test.builder.op("AvgPool", {x},
                                            {{"kernel", Sizes{2, 3}},
                                             {"strides", Sizes{2, 2}},
                                             {"dilations", Sizes{2, 1}},
                                             {"pads_begin", Sizes{1, 0}},
                                             {"pads_end", Sizes{0, 1}},
                                             {"exclude-pad", exclude_pad},
                                             {"auto_pad", "explicit"},
                                             {"rounding_type", ceil ? "ceil_torch" : "floor"}});
      const ir::PartialShape shape = average.shape();
      const ir::Node& node = test.after(passes::decompose_dilated_averages, average);
      CHECK(test.count("AvgPool") == 0);
      CHECK(node.output(0).shape.rank() == shape.rank());
      CHECK(ir::intersect(node.output(0).shape[2], shape[2]).has_value());
      CHECK(ir::intersect(node.output(0).shape[3], shape[3]).has_value());
    }
  }
}

TEST_CASE("what releases of the target lack is a warning, or an error if all lack it", "[legalize]") {
  const auto severity = [](std::string_view target) -> std::optional<Severity> {
    TestModel test;
    test.builder.result(
        test.builder.op("Convert", {test.input({2}, ir::ElementType::f4e2m1)}, {{"destination_type", f32}}));
    DiagnosticSink sink;
    passes::PassContext context;
    context.sink = &sink;
    context.target = target::Target(*target::parse_release_range(target));
    passes::warn_about_newer_operations(test.model, context);
    if (sink.diagnostics().empty()) return std::nullopt;
    CHECK(sink.diagnostics().front().code == "needs-newer-runtime");
    CHECK(sink.diagnostics().front().message.find("2025.2") != std::string::npos);
    return sink.diagnostics().front().severity;
  };
  CHECK(severity("2024.6..2026.4") == Severity::warning);
  CHECK(severity("2025.0") == Severity::error);
  CHECK(severity("2025.4..2026.4") == std::nullopt);
}
