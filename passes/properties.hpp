// Properties of models that passes require, ensure and break: each has a name and a check.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::passes {

enum class Property : std::uint8_t {
  no_unused_nodes,
  no_captured_constants,
  no_foldable_values,
  no_known_conditions,
  no_zero_trip_loops,
  no_unchanged_states,
  no_unused_outputs,
  no_unused_captures,
  no_guarded_outputs,
  no_open_conditions,
  no_passed_through_states,
  no_consecutive_transposes,
};

class PropertySet {
 public:
  constexpr PropertySet() = default;
  constexpr PropertySet(std::initializer_list<Property> properties) {
    for (const Property property : properties) bits_ |= bit(property);
  }

  constexpr bool contains(Property property) const { return (bits_ & bit(property)) != 0; }
  constexpr bool contains(const PropertySet& other) const { return (other.bits_ & ~bits_) == 0; }
  constexpr bool is_empty() const { return bits_ == 0; }
  constexpr PropertySet common(const PropertySet& other) const {
    PropertySet result;
    result.bits_ = bits_ & other.bits_;
    return result;
  }
  constexpr void add(const PropertySet& other) { bits_ |= other.bits_; }
  constexpr void remove(const PropertySet& other) { bits_ &= ~other.bits_; }

 private:
  static constexpr std::uint64_t bit(Property property) {
    return std::uint64_t{1} << static_cast<unsigned>(property);
  }

  std::uint64_t bits_ = 0;
};

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
