#include "backend_xml/write_model.hpp"

#include <algorithm>

#include "backend_xml/file_output.hpp"
#include "backend_xml/weights_layout.hpp"
#include "backend_xml/xml_writer.hpp"
#include "ir/narrowing.hpp"

namespace onnx2ir::backend_xml {

std::optional<std::string> write_files(const ir::Model& model, const std::filesystem::path& xml,
                                       const std::filesystem::path& bin, unsigned threads) {
  const WeightsLayout layout = lay_out_weights(model);
  FileOutput weights(bin);
  for (const WeightsLayout::Block& block : layout.blocks) {
    if (!weights.seek(block.offset) || !weights.write(*block.data, threads)) return weights.problem();
  }
  if (!weights.close()) return weights.problem();
  FileOutput text(xml);
  write_xml(model, layout, [&](std::string_view piece) { return text.write(piece); });
  if (!text.close()) return text.problem();
  if (!weights.rename()) return weights.problem();
  if (!text.rename()) return text.problem();
  return std::nullopt;
}

std::string xml_text(const ir::Model& model) {
  std::string text;
  write_xml(model, lay_out_weights(model), [&](std::string_view piece) {
    text += piece;
    return true;
  });
  return text;
}

std::vector<std::byte> weights_bytes(const ir::Model& model) {
  const WeightsLayout layout = lay_out_weights(model);
  std::vector<std::byte> bytes(layout.size);
  for (const WeightsLayout::Block& block : layout.blocks) {
    const ir::ConstantData& data = *block.data;
    if (data.narrowing() == ir::Narrowing::none) {
      std::ranges::copy(data.bytes(), bytes.begin() + static_cast<std::ptrdiff_t>(block.offset));
      continue;
    }
    std::vector<std::uint16_t> halves(data.written_size() / sizeof(std::uint16_t));
    ir::narrow(data.bytes(), data.narrowing(), halves);
    std::ranges::copy(std::as_bytes(std::span(halves)),
                      bytes.begin() + static_cast<std::ptrdiff_t>(block.offset));
  }
  return bytes;
}

}  // namespace onnx2ir::backend_xml
