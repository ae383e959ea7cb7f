// The counts of any IR, with any sizes for its dynamic dimensions: text, and JSON that parses.
#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "targets/given_ir.hpp"

namespace {

using namespace onnx2ir;

void check(const Stats& found) {
  fuzz::check_diagnostics(found.diagnostics);
  if (!nlohmann::json::accept(to_json(found))) fuzz::fail("the statistics are not JSON");
  if (to_string(found).empty()) fuzz::fail("the statistics have no text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto model = fuzz::given_model(data, size);
  if (!model) return 0;
  const Stats without_sizes = stats(*model);
  check(without_sizes);
  constexpr std::array<std::int64_t, 6> kSizes{0, 1, 2, 7, std::int64_t{1} << 32, std::int64_t{1} << 62};
  StatsOptions options;
  std::size_t next = size;
  for (const std::string& name : without_sizes.missing_sizes)
    options.sizes.emplace_back(name, kSizes[next++ % kSizes.size()]);
  check(stats(*model, options));
  return 0;
}
