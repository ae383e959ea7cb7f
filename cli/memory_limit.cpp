#include "cli/memory_limit.hpp"

#include "platform/process.hpp"

namespace onnx2ir::cli {

void limit_memory(std::optional<std::uint64_t> most) {
  if (most) return platform::limit_memory(*most);
  const std::uint64_t share = platform::available_memory() / 4 * 3;
  if (platform::reserved_memory() < share) platform::limit_memory(share);
}

void add_memory_hints(const std::optional<std::uint64_t>& most, std::vector<Diagnostic>& diagnostics) {
  if (most == 0) return;
  for (Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.code == DiagnosticCode::out_of_memory)
      diagnostic.hint = "--max-memory limits it; raise the limit, for example --max-memory 4G";
  }
}

}  // namespace onnx2ir::cli
