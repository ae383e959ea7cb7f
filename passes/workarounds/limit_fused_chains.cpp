// The CPU plugin fuses the elementwise operations that follow a convolution or a product with constant
// weights. oneDNN takes at most 32 of them; if there are more, the model does not compile. An operation that
// reads its operand twice ends the chain.
#include "passes/analysis/fused_chain.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// Leaves room for operations that the plugin adds, such as scales of quantised weights.
constexpr std::size_t kMostFused = 24;

/// The operation that ends a chain which is too long; null if the chain of `source` is short.
ir::Node* last_fused(const ir::Node& source) {
  ir::Node* reader = fused_reader(source);
  for (std::size_t count = 1; reader != nullptr; ++count) {
    ir::Node* const next = fused_reader(*reader);
    if (count == kMostFused) return next == nullptr ? nullptr : reader;
    reader = next;
  }
  return nullptr;
}

void limit_chain(ir::Builder& builder, ir::Node& source) {
  separate_from_uses(builder, *last_fused(source));
}

}  // namespace

Workaround limit_fused_chains() {
  return {
      .stage = Stage::kernels,
      .summary = "Ends chains of more elementwise operations than the CPU plugin can fuse into one kernel",
      .rows = {row<last_fused, limit_chain>(Fault::long_fused_chains, kProducts)}};
}

}  // namespace onnx2ir::passes
