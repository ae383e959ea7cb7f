// With --unroll-loops: replaces a loop with few iterations and a small body by its iterations. The runtime
// then fuses operations across iterations and has no loop overhead, but the IR has no Loop any more, and
// grows.
#include <algorithm>
#include <unordered_map>

#include "base/failure.hpp"
#include "onnx2ir/options.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// The most nodes that a loop may be unrolled to; for larger bodies the overhead of the loop is relatively
/// small.
constexpr std::int64_t kMaxNodes = 128;

bool is_computed(const ir::Node& node) {
  return node.constant() == nullptr && !node.is(ops::Parameter) && !node.is(ops::Result);
}

bool is_short(ir::LoopView loop) {
  const auto iterations = loop.iterations();
  const bool runs_to_the_end = ir::known_scalar(loop.next_condition()) == 1;
  if (!iterations || *iterations < 1 || !runs_to_the_end || !loop.body().sliced.empty()) return false;
  std::int64_t size = 0;
  for (const auto& inner : loop.graph().nodes()) {
    if (inner->op().traits.is_volatile || !ir::bodies(*inner).empty()) return false;
    if (is_computed(*inner)) ++size;
  }
  return *iterations <= kMaxNodes / std::max<std::int64_t>(size, 1);
}

/// Emits the iterations of one loop into the graph around it.
class Unroller {
 public:
  explicit Unroller(ir::LoopView loop) : loop_(loop), body_(loop.body()), builder_(loop.node().graph()) {
    for (const ir::Invariant& invariant : body_.invariants)
      copies_[invariant.parameter] = {loop.outer(invariant)};
    for (const ir::Carried& state : body_.carried) copies_[state.parameter] = {loop.outer(state)};
    for (const auto& inner : body_.graph->nodes()) {
      if (inner->constant() == nullptr) continue;
      builder_.set_name(inner->name);
      copies_[inner.get()] = {builder_.clone(*inner).value()};
    }
    rows_.resize(body_.scans.size());
    last_values_.resize(body_.last_values.size());
  }

  void run() {
    body_.graph->sort();
    const std::int64_t iterations = *loop_.iterations();
    for (std::int64_t i = 0; i < iterations; ++i) iterate(i);
    connect_outputs();
  }

 private:
  ir::Value copy_of(ir::Value inside) const { return copies_.at(inside.node)[inside.index]; }
  ir::Value fed_by(const ir::Node& result) const { return copy_of(result.input(0)); }

  void iterate(std::int64_t index) {
    if (body_.iteration != nullptr) {
      const ir::Output& number = body_.iteration->output(0);
      const std::vector<std::int64_t> shape(number.shape.rank(), 1);
      copies_[body_.iteration] = {
          builder_.constant(number.type, shape, ir::encode_integers({&index, 1}, number.type))};
    }
    for (const auto& inner : body_.graph->nodes()) {
      if (is_computed(*inner)) copy(*inner);
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].push_back(fed_by(*body_.scans[i].result));
    for (std::size_t i = 0; i < body_.last_values.size(); ++i)
      last_values_[i] = fed_by(*body_.last_values[i].result);
    // All at once: the next value of a state may be the present value of another.
    std::vector<ir::Value> next;
    for (const ir::Carried& state : body_.carried) next.push_back(fed_by(*state.result));
    for (std::size_t i = 0; i < next.size(); ++i) copies_[body_.carried[i].parameter] = {next[i]};
  }

  void copy(const ir::Node& inner) {
    std::vector<ir::Value> inputs;
    for (const ir::Value input : inner.inputs()) inputs.push_back(copy_of(input));
    builder_.set_name(inner.name);
    ir::Node& outside = builder_.clone(inner, inputs);
    copies_[&inner] = outside.values();
  }

  void connect_outputs() {
    builder_.set_name(loop_.node().name);
    for (const ir::Carried& state : body_.carried) {
      if (state.output) ir::replace_all_uses(loop_.output(state), copy_of({state.parameter, 0}));
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const ir::Scan& scan = body_.scans[i];
      if (scan.stride < 0) std::ranges::reverse(rows_[i]);
      const ir::Value whole = builder_.op(ops::Concat, rows_[i], {{"axis", scan.axis}});
      ir::replace_all_uses(loop_.output(scan), whole);
    }
    for (std::size_t i = 0; i < last_values_.size(); ++i)
      ir::replace_all_uses(loop_.output(body_.last_values[i]), last_values_[i]);
  }

  ir::LoopView loop_;
  ir::LoopBody& body_;
  ir::Builder builder_;
  std::unordered_map<const ir::Node*, ir::Values> copies_;  ///< of the current iteration
  std::vector<std::vector<ir::Value>> rows_;                ///< per scan output
  std::vector<ir::Value> last_values_;
};

}  // namespace

bool unroll_short_loops(ir::Model& model, PassContext& context) {
  if (!context.options->unroll_loops) return false;
  return edit_each(loops_of(model), [](ir::LoopView loop) {
    if (!loop.node().has_uses() || !is_short(loop)) return false;
    ir::Graph& outer = loop.node().graph();
    const auto problem = base::problem_of(DiagnosticCode::invalid_node, [&] { Unroller(loop).run(); });
    if (!problem) return true;
    // The shapes of an iteration contradict each other: the Loop fails when it runs.
    outer.remove_dead_nodes();
    return false;
  });
}

}  // namespace onnx2ir::passes
