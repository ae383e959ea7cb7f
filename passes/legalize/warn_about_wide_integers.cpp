// The CPU plugin computes 64-bit integers in 32 bits: larger constants cause a warning.
#include <fmt/core.h>

#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

// Larger constants are tables of weights; searching them would read the model's files.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 16;
/// The number of constants that the warning names; it counts the others.
constexpr std::size_t kMaxNotes = 20;

/// The extremes of int64 mean "to the end" or "no bound", and still mean that if they are saturated to 32
/// bits.
bool fits(std::int64_t value) {
  using Wide = std::numeric_limits<std::int64_t>;
  using Narrow = std::numeric_limits<std::int32_t>;
  return (value >= Narrow::min() && value <= Narrow::max()) || value >= Wide::max() - 1 ||
         value <= Wide::min() + 1;
}

std::optional<std::int64_t> wide_value(const ir::Node& node) {
  const ir::ConstantData* data = node.constant();
  if (data == nullptr || data->size() > kMaxBytes || node.outputs().front().type != ir::ElementType::i64)
    return std::nullopt;
  const ir::ConstantBytes kept = data->bytes();
  const std::span<const std::byte> bytes = kept.span();
  for (std::size_t offset = 0; offset + sizeof(std::int64_t) <= bytes.size();
       offset += sizeof(std::int64_t)) {
    std::int64_t value = 0;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    if (!fits(value)) return value;
  }
  return std::nullopt;
}

}  // namespace

bool warn_about_wide_integers(ir::Model& model, PassContext& context) {
  if (context.sink == nullptr) return false;
  std::set<std::string> found;
  std::vector<std::string> notes;
  for (const ir::Graph* graph : graphs_of(model)) {
    for (const auto& node : graph->nodes()) {
      const auto value = wide_value(*node);
      if (!value) continue;
      std::string note = node->name.empty() ? fmt::format("a constant holds {}", *value)
                                            : fmt::format("constant '{}' holds {}", node->name, *value);
      // Copies in bodies have the same name.
      if (found.insert(note).second) notes.push_back(std::move(note));
    }
  }
  if (notes.empty()) return false;
  context.warn({DiagnosticCode::wide_integer,
                "OpenVINO's CPU runtime computes int64 in 32 bits, the model has larger constants"},
               notes, kMaxNotes);
  return false;
}

}  // namespace onnx2ir::passes
