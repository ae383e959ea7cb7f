#include "backend_xml/strided_slices.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "backend_xml/xml_values.hpp"
#include "ir/known_values.hpp"

namespace onnx2ir::backend_xml {
namespace {

constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();

/// A mask of axes. It can be shorter than the list of bounds that it belongs to: the other axes are not set.
class Mask {
 public:
  Mask(pugi::xml_node layer, const char* name) {
    const std::string_view text = layer.child("data").attribute(name).value();
    if (text.empty()) return;
    const auto value = parse_attribute(text, ir::AttributeSpec::Kind::integers);
    bits_ = std::get<std::vector<std::int64_t>>(value);
  }
  bool has(std::size_t axis) const { return axis < bits_.size() && bits_[axis] != 0; }
  bool is_empty() const {
    return std::ranges::all_of(bits_, [](std::int64_t bit) { return bit == 0; });
  }

 private:
  std::vector<std::int64_t> bits_;
};

/// The inputs of a Slice of the first axes.
struct Bounds {
  ir::Value starts;
  ir::Value stops;
  ir::Value steps;
};

/// Bounds that are constants, with the masks of the layer. No value if the layer removes an axis of `shape`
/// that does not have the position.
std::optional<Bounds> masked_bounds(ir::Builder& builder, pugi::xml_node layer, const Mask& removed,
                                    const ir::PartialShape& shape, const ir::Integers& begin,
                                    const ir::Integers& end, const ir::Integers& strides) {
  const Mask ignored_begin(layer, "begin_mask");
  const Mask ignored_end(layer, "end_mask");
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> stops;
  std::vector<std::int64_t> steps;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    const std::int64_t step = removed.has(i) ? 1 : strides[i];
    const std::int64_t nearest = step > 0 ? 0 : kHighest;
    const std::int64_t farthest = step > 0 ? kHighest : kLowest;
    const std::int64_t start = ignored_begin.has(i) ? nearest : begin[i];
    const std::int64_t after_one = start == -1 ? kHighest : start + 1;
    const std::int64_t stop = ignored_end.has(i) ? farthest : end[i];
    if (removed.has(i) && shape[i].is_static() && (start < -shape[i].size() || start >= shape[i].size()))
      return std::nullopt;
    steps.push_back(step);
    starts.push_back(start);
    stops.push_back(removed.has(i) ? after_one : stop);
  }
  return Bounds{builder.integers(starts), builder.integers(stops), builder.integers(steps)};
}

/// `inputs`: the data, begin, end, and possibly strides. No value if no Slice has such bounds.
std::optional<Bounds> bounds_of(ir::Builder& builder, pugi::xml_node layer, const Mask& removed,
                                std::span<const ir::Value> inputs, std::size_t count) {
  const auto strides = inputs.size() > 3 ? ir::exact_values(inputs[3])
                                         : std::optional(ir::Integers(std::vector<std::int64_t>(count, 1)));
  if (!strides || strides->size() != count || std::ranges::find(*strides, 0) != strides->end())
    return std::nullopt;
  const auto begin = ir::exact_values(inputs[1]);
  const auto end = ir::exact_values(inputs[2]);
  if (begin && end && end->size() == count)
    return masked_bounds(builder, layer, removed, inputs[0].shape(), *begin, *end, *strides);
  const bool has_masks =
      !removed.is_empty() || !Mask(layer, "begin_mask").is_empty() || !Mask(layer, "end_mask").is_empty();
  const bool have_one_length = inputs[2].shape().element_count() == static_cast<std::int64_t>(count);
  if (has_masks || !have_one_length || inputs[1].type() != inputs[2].type()) return std::nullopt;
  return Bounds{inputs[1], inputs[2], builder.integers(*strides, inputs[1].type())};
}

}  // namespace

ir::Value emit_strided_slice(ir::Builder& builder, pugi::xml_node layer, std::span<const ir::Value> inputs) {
  if (inputs.size() < 3 || inputs.size() > 4) return {};
  if (!Mask(layer, "new_axis_mask").is_empty() || !Mask(layer, "ellipsis_mask").is_empty()) return {};
  const Mask removed(layer, "shrink_axis_mask");
  const ir::PartialShape& shape = inputs[0].shape();
  const ir::PartialShape& begin = inputs[1].shape();
  if (!shape.has_rank() || !begin.has_rank(1) || begin[0].is_dynamic() || begin[0].size() == 0 ||
      static_cast<std::size_t>(begin[0].size()) > shape.rank())
    return {};
  const auto count = static_cast<std::size_t>(begin[0].size());
  const std::string name = builder.name();
  builder.set_name(name + "/bounds");
  const auto bounds = bounds_of(builder, layer, removed, inputs, count);
  if (!bounds) return {};
  std::vector<std::int64_t> axes(count);
  std::iota(axes.begin(), axes.end(), std::int64_t{0});
  const ir::Value list = builder.integers(axes, bounds->starts.type());
  std::erase_if(axes, [&](std::int64_t axis) { return !removed.has(static_cast<std::size_t>(axis)); });
  builder.set_name(axes.empty() ? name : name + "/slice");
  const ir::Value part =
      builder.op(ops::Slice, {inputs[0], bounds->starts, bounds->stops, bounds->steps, list});
  if (axes.empty()) return part;
  builder.set_name(name + "/axes");
  const ir::Value removed_axes = builder.integers(axes);
  builder.set_name(name);
  return builder.op(ops::Squeeze, {part, removed_axes});
}

}  // namespace onnx2ir::backend_xml
