// The ports of Loop and If in text IR, which stand before the nodes of a body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ir/graph.hpp"
#include "ir/text/cursor.hpp"

namespace onnx2ir::ir {

/// A port as written. Its ids may be defined later in the body.
struct ParsedPort {
  enum class Kind : std::uint8_t { iteration, condition, carried, sliced, invariant, scan, last, result };
  Kind kind = Kind::invariant;
  std::size_t offset = 0;
  Id inner;      ///< the Parameter of an input, otherwise the Result
  Id back_edge;  ///< of a carried value
  std::uint32_t input = 0;
  std::optional<std::uint32_t> output;
  bool is_guarded = false;  ///< the output of a carried value or of a scan
  Slices slices;            ///< of a sliced input or a scan output
};

/// Reads a value of the graph around the body.
using OuterValueParser = std::function<Value()>;
/// Reads a port of a node with `inputs`.
ParsedPort parse_port(Cursor& cursor, std::span<const Value> inputs, const OuterValueParser& outer_value);

/// Finds the node of a body with this id. Throws Failure (unreadable_ir) if the id is unknown or names
/// another operation.
using InnerNodeFinder = std::function<Node*(const Id& id, Op operation)>;
/// Fills `body` from the ports of a Loop with `inputs` inputs. Returns the number of its outputs.
std::size_t connect_loop(const Cursor& cursor, std::size_t offset, const std::vector<ParsedPort>& ports,
                         std::size_t inputs, const InnerNodeFinder& find, LoopBody& body);
/// Fills `branch` from the ports of a branch of an If. Returns the number of outputs.
std::size_t connect_branch(const Cursor& cursor, const std::vector<ParsedPort>& ports,
                           const InnerNodeFinder& find, Branch& branch);

}  // namespace onnx2ir::ir
