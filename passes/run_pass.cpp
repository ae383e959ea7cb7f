#include "passes/run_pass.hpp"

#include <algorithm>

namespace onnx2ir::passes {

const Pass* find_pass(std::string_view name) {
  const auto all = pipeline();
  const auto found = std::ranges::find(all, name, &Pass::name);
  return found == all.end() ? nullptr : &*found;
}

bool run_pass(ir::Model& model, const Pass& pass, const PassContext& context) {
  bool modified = false;
  PassContext alone = context;
  alone.skipped.clear();
  for (const Pass& other : pipeline()) {
    if (other.name != pass.name) alone.skipped.emplace_back(other.name);
  }
  alone.stop_after = pass.name;
  alone.finished = [&](std::string_view name, double seconds, bool is_modified) {
    if (name != pass.name) return;
    modified = is_modified;
    if (context.finished) context.finished(name, seconds, is_modified);
  };
  alone.inspect = [&](std::string_view name, const ir::Model& now) {
    if (name == pass.name && context.inspect) context.inspect(name, now);
  };
  run_pipeline(model, alone);
  return modified;
}

}  // namespace onnx2ir::passes
