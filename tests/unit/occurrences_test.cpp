// The numbers of nodes and bodies, by which an attempt to translate a model refers to what earlier ones
// found.
#include "frontend/graph/occurrences.hpp"

#include "catch.hpp"

using onnx2ir::frontend::Occurrence;
using onnx2ir::frontend::Occurrences;

TEST_CASE("a node has the same number in each attempt, and another one in each call and iteration") {
  Occurrences occurrences;
  const Occurrence call = occurrences.node(Occurrences::kModel, 3);
  const Occurrence other_call = occurrences.node(Occurrences::kModel, 4);
  CHECK(call != other_call);
  CHECK(occurrences.node(Occurrences::kModel, 3) == call);
  CHECK(occurrences.node(call, 0) != occurrences.node(other_call, 0));
  CHECK(occurrences.body(call, 1, 0) != occurrences.body(call, 1, 1));
  CHECK(occurrences.body(call, 1, 0) != occurrences.body(call, 1));
}

TEST_CASE("a graph contains the bodies of its nodes, and those of functions that it calls") {
  Occurrences occurrences;
  const Occurrence loop = occurrences.node(Occurrences::kModel, 0);
  const Occurrence body = occurrences.body(loop, 0);
  const Occurrence call = occurrences.node(body, 5);
  const Occurrence branch = occurrences.body(occurrences.node(call, 2), 1);
  CHECK(occurrences.contains(Occurrences::kModel, branch));
  CHECK(occurrences.contains(body, branch));
  CHECK(occurrences.contains(branch, branch));
  CHECK_FALSE(occurrences.contains(branch, body));
  CHECK_FALSE(occurrences.contains(occurrences.body(loop, 1), branch));
}
