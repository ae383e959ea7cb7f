// The values from which the Parameters of bodies, and the outputs of Loops and Ifs, come.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/small_vector.hpp"
#include "ir/control_flow.hpp"

namespace onnx2ir::passes {

struct HashOfValue {
  std::size_t operator()(ir::Value value) const { return std::hash<const void*>()(value.node) + value.index; }
};
using ValueSet = std::unordered_set<ir::Value, HashOfValue>;  // only used for look-ups

/// The values of other graphs that a value can be equal to, or a part of. Parameter of a body: the captured
/// or sliced value, or the initial and the next value of the state. Output of a Loop or If: the results of
/// the bodies, and the initial value of the state.
class PortSources {
 public:
  explicit PortSources(const std::vector<ir::Graph*>& graphs);

  /// None if `value` is not such a Parameter or output.
  std::span<const ir::Value> of(ir::Value value) const;

 private:
  std::unordered_map<ir::Value, base::SmallVector<ir::Value, 2>, HashOfValue> sources_;
};

}  // namespace onnx2ir::passes
