// Warns about constants that do not fit into i32: the CPU plugin computes i64, u32 and u64 in it, and
// saturates their constants.
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

/// The first number beyond 32 bits, as text.
std::optional<std::string> find_wide_value(const ir::Node& node) {
  const ir::ConstantData* data = node.constant();
  const ir::ElementType type = node.output(0).type;
  const std::size_t bits = ir::info(type).bits;
  const bool is_signed = ir::is_signed_integral(type);
  if (data->size() > kMaxBytes || !ir::is_integral(type) || bits < (is_signed ? 64 : 32)) return std::nullopt;
  const auto values = ir::decode_integers(type, data->bytes(), data->size() * 8 / bits);
  // If numbers are compared with the constant for equality, an extreme in an input becomes 0 or -1. In an
  // output it is a number like others.
  const bool allows_extremes = is_signed && !is_read_by(node, {ops::Equal, ops::NotEqual, ops::Result});
  const auto is_wide = [&](std::int64_t value) {
    // u64 wraps around.
    if (!is_signed) return !std::in_range<std::int32_t>(static_cast<std::uint64_t>(value));
    return !std::in_range<std::int32_t>(value) && !(allows_extremes && is_extreme(value));
  };
  const auto wide = std::ranges::find_if(*values, is_wide);
  if (wide == values->end()) return std::nullopt;
  return is_signed ? std::to_string(*wide) : std::to_string(static_cast<std::uint64_t>(*wide));
}

}  // namespace

bool warn_about_wide_integers(ir::Model& model, PassContext& context) {
  std::set<std::string> found;
  std::vector<std::string> notes;
  for (const ir::Node* node : nodes_of(model, {ops::Const})) {
    const auto value = find_wide_value(*node);
    if (!value || is_slice_bound(*node)) continue;
    std::string note = node->name.empty() ? fmt::format("a constant holds {}", *value)
                                          : fmt::format("constant '{}' holds {}", node->name, *value);
    // Copies in bodies have the same name.
    if (found.insert(note).second) notes.push_back(std::move(note));
  }
  context.warn({DiagnosticCode::wide_integer,
                "OpenVINO's CPU runtime computes integers in int32, the model has larger constants"},
               notes);
  return false;
}

}  // namespace onnx2ir::passes
