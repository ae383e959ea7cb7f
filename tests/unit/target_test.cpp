// OpenVINO releases, ranges of them, and which faults a range has.
#include "target/target.hpp"

#include <string>

#include "catch.hpp"
#include "target/faults.hpp"

namespace onnx2ir::target {

TEST_CASE("releases are read with and without a patch number") {
  CHECK(parse_release("2025.4") == Release{2025, 4});
  CHECK(parse_release("2025.4.1") == Release{2025, 4});
  for (const auto* text :
       {"", "2025", "2025.", ".4", "2025.4.", "2025.4.1.2", "2025.4 ", "v2025.4", "20255.4"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_release(text));
  }
}

TEST_CASE("ranges of releases are limited to supported releases") {
  CHECK(parse_release_range("2025.4") == ReleaseRange{{2025, 4}, {2025, 4}});
  CHECK(parse_release_range("2025.0..2026.0") == ReleaseRange{{2025, 0}, {2026, 0}});
  const std::string all = to_string(kOldestRelease) + ".." + to_string(kNewestRelease);
  CHECK(parse_release_range(all) == ReleaseRange{});
  CHECK(to_string(ReleaseRange{}) == all);
  CHECK(to_string(ReleaseRange{{2025, 4}, {2025, 4}}) == "2025.4");
  for (const auto* text :
       {"2026.4..2025.4", "2024.5", "2025.4..2099.1", "2025.4..", "..2025.4", "2025.4...2026.4"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_release_range(text));
  }
}

TEST_CASE("a target has a fault if one of its releases has it") {
  // Measured: up to 2026.3.
  const Fault fault = Fault::zero_trip_final_values;
  CHECK(Target().has(fault));
  CHECK(Target({{2024, 6}, {2024, 6}}).has(fault));
  CHECK(Target({{2026, 3}, {2026, 4}}).has(fault));
  CHECK_FALSE(Target({{2026, 4}, {2026, 4}}).has(fault));
  CHECK_FALSE(Target({{2026, 4}, {2026, 4}}).has_any({fault}));
  CHECK(Target({{2026, 4}, {2026, 4}}).has_any({fault, Fault::zero_trip_scan_outputs}));
}

}  // namespace onnx2ir::target
