// Any IR for `lint` and `legalize`: no internal error, and a legalised model reads back.
#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "targets/given_ir.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace onnx2ir;
  const auto model = fuzz::given_model(data, size);
  if (!model) return 0;
  constexpr std::array kTargets{"", "2024.6", "2026.4", "2025.4"};
  Options options;
  options.threads = 1;
  options.target_runtime = kTargets[size % kTargets.size()];
  const Lint found = lint(*model, options);
  fuzz::check_diagnostics(found.diagnostics);
  if (!nlohmann::json::accept(to_json(found))) fuzz::fail("the list of layers is not JSON");
  const Conversion legal = legalize(*model, options);
  fuzz::check_diagnostics(legal.diagnostics);
  if (!legal.model) return 0;
  const std::string xml = legal.model->xml();
  const Conversion again = read_ir_bytes(xml, legal.model->weights());
  if (!again.model) fuzz::fail("the legalised IR does not read back: " + to_string(again.diagnostics));
  if (again.model->xml() != xml) fuzz::fail("the legalised IR reads back as another model");
  return 0;
}
