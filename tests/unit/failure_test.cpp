// Results and failures: what passes through, and what decides.
#include "base/failure.hpp"

#include <type_traits>
#include <vector>

#include "catch.hpp"
#include "ir/checked_list.hpp"
#include "target/faults.hpp"
#include "target/target.hpp"

namespace onnx2ir {
namespace {

// A copy of a checked list keeps the checks.
static_assert(!std::is_convertible_v<ir::Integers, std::vector<std::int64_t>>);
static_assert(!std::is_convertible_v<ir::Integers&, std::vector<std::int64_t>&>);

[[noreturn]] int fail(DiagnosticCode code) {
  throw base::Failure(code, "the reason", "the hint");
}

TEST_CASE("a result has a value or a problem") {
  const Result<int> value = 3;
  REQUIRE(value);
  CHECK(*value == 3);
  const Result<int> problem = Problem{DiagnosticCode::invalid_tensor, "it is damaged"};
  CHECK_FALSE(problem);
  CHECK(problem.error().message == "it is damaged");
  CHECK_THROWS(*problem);
  CHECK_THROWS(value.error());
}

TEST_CASE("an attempt returns the failures of one code, and passes others and internal errors") {
  const auto invalid =
      base::attempt(DiagnosticCode::invalid_node, [] { return fail(DiagnosticCode::invalid_node); });
  REQUIRE_FALSE(invalid);
  CHECK(invalid.error() == Problem{DiagnosticCode::invalid_node, "the reason", "the hint"});
  CHECK_THROWS_AS(base::attempt(DiagnosticCode::invalid_node, [] { return fail(DiagnosticCode::cancelled); }),
                  base::Failure);
  CHECK_THROWS_AS(base::attempt(DiagnosticCode::invalid_node, [] { return ir::Integers{}[0]; }),
                  base::InternalError);
  CHECK(base::problem_of(DiagnosticCode::cancelled, [] { fail(DiagnosticCode::cancelled); }));
  CHECK_FALSE(base::problem_of(DiagnosticCode::cancelled, [] {}));
}

TEST_CASE("cancellation and unreadable files end the conversion, faults of nodes do not") {
  CHECK(base::Failure(DiagnosticCode::cancelled, "").ends_conversion());
  CHECK(base::Failure(DiagnosticCode::unreadable_input, "").ends_conversion());
  CHECK_FALSE(base::Failure(DiagnosticCode::invalid_node, "").ends_conversion());
  CHECK(base::Failure::reported().is_reported());
}

TEST_CASE("a target with one fault has no other") {
  const target::Target all;
  const auto only = all.with_only({target::Fault::stale_empty_shapes});
  CHECK(only.has(target::Fault::stale_empty_shapes));
  CHECK(all.has(target::Fault::empty_tile_folding));
  CHECK_FALSE(only.has(target::Fault::empty_tile_folding));
}

}  // namespace
}  // namespace onnx2ir
