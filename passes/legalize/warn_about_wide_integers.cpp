// Warns about constants that do not fit into 32 bits: the CPU plugin computes 64-bit integers in 32 bits.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/views/selection.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

// Larger constants are tables of weights; searching them would read the model's files.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 16;

/// The extremes of int64 mean "to the end" or "no bound", and still mean that if they are saturated to 32
/// bits.
bool is_extreme(std::int64_t value) {
  using Wide = std::numeric_limits<std::int64_t>;
  return value >= Wide::max() - 1 || value <= Wide::min() + 1;
}

/// Whether all uses of a constant are starts or stops of Slices: they are limited to the size of the axis,
/// whose largest number has 32 bits.
bool is_slice_bound(const ir::Node& constant) {
  using Input = ir::SliceView::Input;
  return std::ranges::all_of(constant.output(0).uses, [](const ir::Use& use) {
    return use.node->is(ops::Slice) && (use.index == Input::start || use.index == Input::stop);
  });
}

std::optional<std::int64_t> wide_value(const ir::Node& node) {
  const ir::ConstantData* data = node.constant();
  if (data->size() > kMaxBytes || node.output(0).type != ir::ElementType::i64) return std::nullopt;
  const auto values =
      ir::decode_integers(ir::ElementType::i64, data->bytes(), data->size() / sizeof(std::int64_t));
  // If numbers are compared with the constant for equality, an extreme in an input becomes 0 or -1.
  const bool is_compared = is_read_by(node, {ops::Equal, ops::NotEqual});
  const auto wide = std::ranges::find_if(*values, [&](std::int64_t value) {
    return !std::in_range<std::int32_t>(value) && (is_compared || !is_extreme(value));
  });
  return wide == values->end() ? std::nullopt : std::optional(*wide);
}

}  // namespace

bool warn_about_wide_integers(ir::Model& model, PassContext& context) {
  std::set<std::string> found;
  std::vector<std::string> notes;
  for (const ir::Node* node : nodes_of(model, {ops::Const})) {
    const auto value = wide_value(*node);
    if (!value || is_slice_bound(*node)) continue;
    std::string note = node->name.empty() ? fmt::format("a constant holds {}", *value)
                                          : fmt::format("constant '{}' holds {}", node->name, *value);
    // Copies in bodies have the same name.
    if (found.insert(note).second) notes.push_back(std::move(note));
  }
  context.warn({DiagnosticCode::wide_integer,
                "OpenVINO's CPU runtime computes int64 in 32 bits, the model has larger constants"},
               notes);
  return false;
}

}  // namespace onnx2ir::passes
