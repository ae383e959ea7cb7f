// Any bytes as an XML and its weights: they are rejected with a reason, or written as a pair that reads back
// as the same model, in which a comparison finds no difference.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "targets/given_ir.hpp"

namespace {

using namespace onnx2ir;

void require_equal(const Model& before, const Model& after) {
  for (const bool ignores_names : {false, true}) {
    const auto found = differences(before, after, {.ignores_names = ignores_names});
    if (!found.empty()) fuzz::fail("a model differs from itself: " + found.front().text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto model = fuzz::given_model(data, size);
  if (!model) return 0;
  const std::string xml = model->xml();
  const std::vector<std::byte> weights = model->weights();
  const Conversion again = read_ir_bytes(xml, weights);
  if (!again.model) fuzz::fail("the written IR does not read back: " + to_string(again.diagnostics));
  if (again.model->xml() != xml) fuzz::fail("the XML reads back as another model");
  if (again.model->weights() != weights) fuzz::fail("the weights read back as others");
  require_equal(*model, *model);
  require_equal(*model, *again.model);
  return 0;
}
