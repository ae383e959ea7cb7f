#include "passes/analysis/model_caches.hpp"

#include <map>
#include <string>

#include "ir/cache_names.hpp"

namespace onnx2ir::passes {
namespace {

bool fit(const ir::Output& past, const ir::Output& present) {
  return past.type == present.type && past.shape.has_rank() && present.shape.has_rank() &&
         past.shape.rank() == present.shape.rank() && past.shape.rank() > 0;
}

}  // namespace

std::vector<CacheEnds> caches_of(const ir::Graph& graph) {
  std::map<std::string, ir::Node*> presents;
  for (ir::Node* result : graph.results()) {
    if (const auto key = ir::key_of_present(result->name)) presents.emplace(*key, result);
  }
  std::vector<CacheEnds> caches;
  for (ir::Node* parameter : graph.parameters()) {
    const auto key = ir::key_of_past(parameter->name);
    const auto found = key ? presents.find(*key) : presents.end();
    if (found == presents.end() || !fit(parameter->output(0), found->second->output(0))) continue;
    caches.push_back({parameter, found->second});
    presents.erase(found);
  }
  return caches;
}

}  // namespace onnx2ir::passes
