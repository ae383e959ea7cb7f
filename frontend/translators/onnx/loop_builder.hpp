// Creates a Loop-5 for an operator that iterates without an ONNX body.
#pragma once

#include <functional>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// The result of one iteration: the next states, one row of each scan output, and whether there is a next
/// iteration (boolean scalar; null: until `count` iterations have run).
struct Iteration {
  Values states;
  Values rows;
  Value condition = {};
};

/// Emits the body: `iteration` is the iteration number (i64 scalar), `invariants` are the captured values in
/// the body.
using BodyWriter =
    std::function<Iteration(Builder& body, Value iteration, const Values& states, const Values& invariants)>;

/// Final states, and the rows of all iterations stacked along a new first axis.
struct LoopOutputs {
  Values states;
  Values scans;
};

/// A loop of at most `count` (i64 scalar) iterations with the states `initial`. States keep their types and
/// shapes.
LoopOutputs iterate(Builder& outer, Value count, const Values& initial, const Values& invariants,
                    const BodyWriter& write);

}  // namespace onnx2ir::frontend
