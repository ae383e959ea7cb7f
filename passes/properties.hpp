// Properties of models that passes require, ensure and break: each has a name and a check.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_set.hpp"
#include "ir/graph.hpp"

namespace onnx2ir::passes {

enum class Property : std::uint8_t {
  no_unused_nodes,
  no_captured_constants,
  no_foldable_values,
  no_known_conditions,
  no_unchanged_states,
  no_unused_outputs,
  no_unused_captures,
  no_guarded_outputs,
  no_open_conditions,
  no_passed_through_states,
};

using PropertySet = base::EnumSet<Property, 64>;

struct PropertyInfo {
  Property property;
  std::string_view name;
  std::string_view meaning;  ///< one sentence
  bool (*is_broken_by)(ir::Node& node);
};

/// All properties, in the order of the enumeration.
std::span<const PropertyInfo> all_properties();

/// The properties of each model before the first pass.
inline constexpr PropertySet kInitialProperties = {Property::no_unused_nodes, Property::no_guarded_outputs};

/// The names of the properties of a set.
std::vector<std::string_view> names_of(const PropertySet& properties);

/// The form that passes over loops and patterns need in order to match. Most legalisations run later and may
/// break it.
inline constexpr PropertySet kNormalForm = {Property::no_captured_constants, Property::no_foldable_values};

/// Names the property of the set that does not hold, and the node that breaks it; empty if all hold.
std::string broken_property(ir::Model& model, const PropertySet& properties);

}  // namespace onnx2ir::passes
