// Surgery on control-flow nodes: ports come and go together with the indices that refer to them.
#pragma once

#include <cstdint>

#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// Removes input `index` of a Loop or If; nothing in its payload may refer to it any more.
void remove_input(ir::Node& node, std::uint32_t index);
/// Removes output `index` of a Loop, which must be unused; nothing in its payload may refer to it any more.
void remove_output(ir::Node& node, std::uint32_t index);

/// Connects `outer` to a new Parameter of the loop's body and returns that.
ir::Value add_invariant(ir::Node& loop, ir::Value outer);

/// Removes invariants whose Parameters nobody reads, with their inputs. Returns whether there were any.
bool remove_unused_invariants(ir::Node& node);

/// The number a loop's trip count or condition is known to be, nothing when it is not.
std::optional<std::int64_t> known_scalar(ir::Value value);
/// Whether the loop runs at least once, whatever the inputs.
bool runs_at_least_once(const ir::Node& loop);

}  // namespace onnx2ir::passes
