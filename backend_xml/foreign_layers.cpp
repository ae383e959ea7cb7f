#include "backend_xml/foreign_layers.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <variant>
#include <vector>

#include "backend_xml/xml_values.hpp"
#include "base/joined.hpp"
#include "ir/known_values.hpp"

namespace onnx2ir::backend_xml {
namespace {

std::string_view data_of(pugi::xml_node layer, const char* name) {
  return layer.child("data").attribute(name).value();
}

/// opset8 returns the batch axes unmerged.
bool has_at_most_one_batch_axis(pugi::xml_node layer) {
  const std::string_view batch_axes = data_of(layer, "batch_dims");
  return batch_axes.empty() || batch_axes == "0" || batch_axes == "1";
}

bool requires_unit_axes(pugi::xml_node layer) {
  const std::string_view skips = data_of(layer, "allow_axis_skip");
  return skips.empty() || skips == "false";
}

bool ignores_negative_indices(pugi::xml_node layer) {
  const std::string_view mode = data_of(layer, "negative_indices_mode");
  return mode.empty() || mode == "ignore_negative";
}

struct OlderLayer {
  std::string_view type;
  std::string_view opset;
  bool (*applies)(pugi::xml_node layer) = nullptr;  ///< null: always
};

/// The versions, some of them newer, that mean the same as the row in ir/ops.
constexpr auto kOlderLayers = std::to_array<OlderLayer>({
    {"Assign", "opset3"},
    {"Broadcast", "opset1"},
    {"Gather", "opset1"},
    {"Gather", "opset7"},
    {"GatherND", "opset5", has_at_most_one_batch_axis},
    {"Gelu", "opset2"},
    {"MaxPool", "opset1"},
    {"OneHot", "opset16", ignores_negative_indices},
    {"Pad", "opset1"},
    {"ROIAlign", "opset3"},
    {"Range", "opset1"},
    {"ReadValue", "opset3"},
    {"ScatterElementsUpdate", "opset3"},
    {"ShapeOf", "opset1"},
    {"SoftMax", "opset1"},
    {"Squeeze", "opset15", requires_unit_axes},
    {"TopK", "opset1"},
    {"TopK", "opset3"},
});

/// The value of an attribute for layers of a version that lacks it.
struct MissingAttribute {
  std::string_view type;
  std::string_view name;
  std::string_view value;
};

constexpr auto kMissingAttributes = std::to_array<MissingAttribute>({
    {"Gather", "batch_dims", "0"},
    {"Gelu", "approximation_mode", "ERF"},
    {"MaxPool", "axis", "0"},
    {"MaxPool", "index_element_type", "i64"},
    {"ROIAlign", "aligned_mode", "asymmetric"},
    {"ScatterElementsUpdate", "reduction", "none"},
    {"ScatterElementsUpdate", "use_init_val", "true"},
    {"ShapeOf", "output_type", "i64"},
    {"TopK", "index_element_type", "i32"},
    {"TopK", "stable", "false"},
});

const OlderLayer* find(pugi::xml_node layer) {
  const auto* const found = std::ranges::find_if(kOlderLayers, [&](const OlderLayer& one) {
    return one.type == layer.attribute("type").value() && one.opset == layer.attribute("version").value();
  });
  return found == kOlderLayers.end() ? nullptr : found;
}

constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();

/// A mask of axes. It can be shorter than the list of bounds that it belongs to: the other axes are not set.
class Mask {
 public:
  Mask(pugi::xml_node layer, const char* name)
      : bits_(std::get<std::vector<std::int64_t>>(
            parse_attribute(data_of(layer, name), ir::AttributeSpec::Kind::integers))) {}
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

bool is_older_layer(pugi::xml_node layer) {
  const OlderLayer* const found = find(layer);
  return found != nullptr && (found->applies == nullptr || found->applies(layer));
}

bool is_redundant(pugi::xml_node layer, pugi::xml_attribute attribute) {
  const std::string_view name = attribute.name();
  const std::string_view value = attribute.value();
  if (name == "auto_broadcast") return value == "numpy" || value == "none";
  // Repeats pooled_h and pooled_w.
  return layer.attribute("type").value() == std::string_view("ROIPooling") &&
         (name == "output_size" || name == "output_roi");
}

std::optional<std::string> missing_attribute(pugi::xml_node layer, std::string_view name) {
  const OlderLayer* const found = find(layer);
  if (found == nullptr) return std::nullopt;
  if (found->type == "MaxPool" && name == "dilations") {
    std::string ones = "1";
    for (const char letter : data_of(layer, "strides")) ones += letter == ',' ? ",1" : "";
    return ones;
  }
  const auto output = [&] { return parse_port(layer.child("output").child("port")); };
  if ((found->type == "Range" && name == "output_type") ||
      (found->type == "ReadValue" && name == "variable_type"))
    return std::string(ir::info(output().type).name);
  if (found->type == "ReadValue" && name == "variable_shape") {
    return base::joined(output().shape, ",",
                        [](const ir::Dimension& dimension) { return std::to_string(dimension.size()); });
  }
  const auto* const missing = std::ranges::find_if(kMissingAttributes, [&](const MissingAttribute& one) {
    return one.type == found->type && one.name == name;
  });
  if (missing == kMissingAttributes.end()) return std::nullopt;
  return std::string(missing->value);
}

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
