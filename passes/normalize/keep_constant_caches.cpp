// With --stateful: a branch of an If that returns a constant as the next value of a cache returns the
// unchanged cache instead.
//
// Optimum merges two decoders: one for the prompt, which computes the caches of the encoder, and one that
// reads them. It gives constants without meaning to the latter's outputs `present*encoder*`, and its callers
// keep the caches of the first step.

#include "onnx2ir/options.hpp"
#include "passes/analysis/caches.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether anything was changed in the If that computes `cache.present`.
bool keep_cache(const CacheEnds& cache) {
  const ir::Value present = cache.present->input(0);
  if (present.node->branches() == nullptr) return false;
  const ir::IfView view(*present.node);
  const auto results = view.results(present.index);
  const bool is_then = ir::is_computed_from_constants(results[0]->input(0));
  if (is_then == ir::is_computed_from_constants(results[1]->input(0))) return false;
  ir::Branch& branch = is_then ? view.then_branch() : view.else_branch();
  results[is_then ? 0 : 1]->set_input(0, ir::add_invariant(view.node(), branch, cache.past->value()));
  return true;
}

}  // namespace

bool keep_constant_caches(ir::Model& model, PassContext& context) {
  return context.options->stateful && edit_each(caches_of(model.graph), keep_cache);
}

}  // namespace onnx2ir::passes
