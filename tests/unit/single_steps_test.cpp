// spell_out_single_steps: only an LSTM of one step, of few sequences, with the usual activations.
#include "catch.hpp"
#include "ir/builder.hpp"
#include "passes/passes.hpp"

using namespace onnx2ir;

namespace {

constexpr auto f32 = ir::ElementType::f32;

struct OneLstm {
  ir::Model model;
  ir::Node* node = nullptr;

  OneLstm(std::int64_t batch, std::int64_t steps, double clip = 0.0) {
    ir::Builder builder(model.graph);
    const std::vector<std::int64_t> lengths(static_cast<std::size_t>(batch), 1);
    const ir::Value state = builder.parameter(f32, {batch, 1, 3});
    const ir::Value inputs[] = {builder.parameter(f32, {batch, steps, 2}),
                                state,
                                state,
                                builder.integers(lengths, ir::ElementType::i32),
                                builder.parameter(f32, {1, 12, 2}),
                                builder.parameter(f32, {1, 12, 3}),
                                builder.parameter(f32, {1, 12})};
    const ir::Attribute attributes[] = {{"direction", "forward"},
                                        {"hidden_size", 3},
                                        {"activations", std::vector<std::string>{"sigmoid", "tanh", "tanh"}},
                                        {"activations_alpha", std::vector<double>{}},
                                        {"activations_beta", std::vector<double>{}},
                                        {"clip", clip}};
    node = &builder.node("LSTMSequence", inputs, attributes, 3);
    for (std::size_t i = 0; i < 3; ++i) builder.result(node->value(i));
  }

  bool run() {
    passes::PassContext context;
    return passes::spell_out_single_steps(model, context);
  }
};

}  // namespace

TEST_CASE("spell_out_single_steps", "[passes]") {
  OneLstm one(1, 1);
  CHECK(one.run());
  CHECK_FALSE(one.node->has_uses());
  CHECK(one.model.graph.results()[0]->input(0).shape() == ir::PartialShape{1, 1, 1, 3});
  CHECK(one.model.graph.results()[2]->input(0).shape() == ir::PartialShape{1, 1, 3});
  CHECK_FALSE(one.run());
  CHECK_FALSE(OneLstm(1, 2).run());
  CHECK_FALSE(OneLstm(8, 1).run());
  CHECK_FALSE(OneLstm(1, 1, 0.5).run());
}
