// The driver of workarounds for single nodes, and the check at the end of the pipeline.
#include <array>
#include <string_view>

#include "catch.hpp"
#include "ir/text/parser.hpp"
#include "passes/legality/legalize_nodes.hpp"
#include "target/faults.hpp"

using namespace onnx2ir;
using passes::Workaround;

namespace {

std::unique_ptr<ir::Model> sum_of_bytes() {
  return ir::parse_text(R"(model "bytes"
%x = Parameter : u8[2]
%sum = Add(%x, %x)
%r = Result(%sum)
)");
}

bool is_affected(const ir::Node&) {
  return true;
}

void change_nothing(ir::Builder&, ir::Node&) {}

/// Makes the same operation again, without an end.
void copy_node(ir::Builder& builder, ir::Node& node) {
  ir::replace_all_uses(node.value(), builder.clone(node, node.inputs()).value());
}

Workaround workaround(void (*rewrite)(ir::Builder&, ir::Node&)) {
  return {.summary = "",
          .stages = {{passes::Stage::kernels,
                      {{target::Fault::byte_arithmetic, {ops::Add}, is_affected, rewrite}}}},
          .name = "test"};
}

}  // namespace

TEST_CASE("the check names the fault, the node and the passes that have changed the model", "[passes]") {
  const auto model = sum_of_bytes();
  constexpr std::array<std::string_view, 2> kPasses = {"split_slices", "separate_outputs"};
  CHECK_THROWS_WITH(
      passes::require_legal(*model, target::Target(), kPasses),
      "the fault byte_arithmetic affects Add 'sum' after the workarounds; since then, these passes have "
      "changed the model: split_slices, separate_outputs");
}

TEST_CASE("a node in a body is found", "[passes]") {
  const auto model = ir::parse_text(R"(model "loop"
%n = Parameter : i64[]
%x = Parameter : u8[2]
%go = Const : boolean[] = true
%y = Loop(%n, %go, %x) {
  condition %c
  carried %s = input 2: %x, back_edge %next, output 0
  %s = Parameter : u8[2]
  %t = Const : boolean[] = true
  %c = Result(%t)
  %twice = Add(%s, %s)
  %next = Result(%twice)
}
%r = Result(%y) : u8[2]
)");
  const auto violation = passes::first_violation(*model, passes::RowIndex(target::Target()));
  REQUIRE(violation);
  CHECK(violation->fault == target::Fault::byte_arithmetic);
  CHECK(violation->node->name == "twice");
}

TEST_CASE("all rows together leave no violation, and find none the second time", "[passes]") {
  const auto model = sum_of_bytes();
  const passes::RowIndex rows((target::Target()));
  CHECK(passes::apply_rows(*model, rows));
  CHECK_FALSE(passes::first_violation(*model, rows));
  CHECK_FALSE(passes::apply_rows(*model, rows));
}

TEST_CASE("a rewrite that does not mend its node is an internal error", "[passes]") {
  const auto model = sum_of_bytes();
  const Workaround idle = workaround(change_nothing);
  CHECK_THROWS_WITH(passes::apply_rows(*model, passes::RowIndex(target::Target(), idle)),
                    "the workaround for byte_arithmetic leaves the node Add 'sum' affected");
}

TEST_CASE("a rewrite that emits affected nodes without an end is an internal error", "[passes]") {
  const auto model = sum_of_bytes();
  const Workaround endless = workaround(copy_node);
  CHECK_THROWS_AS(passes::apply_rows(*model, passes::RowIndex(target::Target(), endless)),
                  base::InternalError);
}

TEST_CASE("each workaround has a name of its own, rows, and operations", "[passes]") {
  std::string_view last;
  for (const Workaround& one : passes::workarounds()) {
    INFO(one.name);
    CHECK(last < one.name);
    CHECK_FALSE(one.stages.empty());
    for (const passes::RowsOfStage& stage : one.stages) {
      CHECK_FALSE(stage.rows.empty());
      for (const passes::LegalizationRow& row : stage.rows) CHECK(row.operations.intersects(row.operations));
    }
    last = one.name;
  }
}

TEST_CASE("a row with a condition on the model affects only models that fulfil it, in all graphs",
          "[passes]") {
  Workaround conditional = workaround(change_nothing);
  conditional.stages[0].rows[0].model_holds = passes::kIfQuantized;
  const passes::RowIndex index(target::Target(), conditional);
  CHECK_FALSE(passes::first_violation(*sum_of_bytes(), index));
  const auto quantized_in_branch = ir::parse_text(R"(model "branches"
%x = Parameter : u8[2]
%f = Parameter : f32[2]
%sum = Add(%x, %x)
%go = Parameter : boolean[]
%y = If(%go, %f) {
  then {
    invariant %a = input 1: %f
    output 0 = %then_result
    %a = Parameter : f32[2]
    %low = Const : f32[] = 0
    %high = Const : f32[] = 1
    %rounded = FakeQuantize(%a, %low, %high, %low, %high) {levels=256}
    %then_result = Result(%rounded)
  }
  else {
    invariant %b = input 1: %f
    output 0 = %else_result
    %b = Parameter : f32[2]
    %else_result = Result(%b)
  }
}
%r = Result(%sum)
%s = Result(%y)
)");
  const auto violation = passes::first_violation(*quantized_in_branch, index);
  REQUIRE(violation);
  CHECK(violation->node->name == "sum");
}
