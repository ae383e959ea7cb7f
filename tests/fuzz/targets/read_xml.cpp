// Any text as the XML of an IR, over fixed weights: it is rejected, or its written form reads back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "backend_xml/write_model.hpp"
#include "backend_xml/xml_reader.hpp"
#include "base/failure.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace onnx2ir;
  constexpr std::size_t kWeights = 4096;
  static const ir::ConstantData kData(std::vector<std::byte>(kWeights, std::byte{1}));
  const std::string_view xml(reinterpret_cast<const char*>(data), size);  // NOLINT
  std::unique_ptr<ir::Model> model;
  try {
    model = backend_xml::read_xml(xml, kData);
  } catch (const base::Failure& failure) {
    if (failure.code() != DiagnosticCode::unreadable_ir) throw;
    return 0;
  }
  const std::string written = backend_xml::xml_text(*model);
  const auto again = backend_xml::read_xml(written, ir::ConstantData(backend_xml::weights_bytes(*model)));
  if (backend_xml::xml_text(*again) != written) std::abort();
  return 0;
}
