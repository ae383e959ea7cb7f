#include "backend_xml/older_layers.hpp"

#include <algorithm>
#include <array>

#include "backend_xml/xml_values.hpp"
#include "base/joined.hpp"

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

}  // namespace onnx2ir::backend_xml
