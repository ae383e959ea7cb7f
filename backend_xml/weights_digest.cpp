#include "backend_xml/weights_digest.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <pugixml.hpp>
#include <utility>

#include "base/failure.hpp"
#include "base/hashes.hpp"
#include "base/input_file.hpp"
#include "ir/narrowing.hpp"
#include "platform/output_folder.hpp"

namespace onnx2ir::backend_xml {
namespace {

constexpr std::uint64_t kWhole = std::uint64_t{1} << 16U;
constexpr std::uint64_t kPieces = 16;
constexpr std::uint64_t kPiece = 4096;

class Digest {
 public:
  Digest(std::uint64_t file_size, const WeightsReader& read) : read_(&read), hash_(file_size) {}

  void add(std::size_t index, const WeightsRange& range) {
    number(range.offset);
    number(range.size);
    if (range.size <= kWhole) return bytes(index, range.offset, range.size);
    const std::uint64_t last = range.size - kPiece;
    for (std::uint64_t i = 0; i < kPieces; ++i) {
      // Rounded to whole elements, whose size is a power of two.
      const std::uint64_t at = i + 1 == kPieces ? last : last / (kPieces - 1) * i;
      bytes(index, range.offset + at / sizeof(double) * sizeof(double), kPiece);
    }
  }
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  void number(std::uint64_t value) { hash_ = base::hash_bytes(hash_, std::as_bytes(std::span(&value, 1))); }
  void bytes(std::size_t index, std::uint64_t offset, std::uint64_t size) {
    if (buffer_.size() < size) buffer_.resize(size);
    const auto target = std::span(buffer_).first(size);
    (*read_)(index, offset, target);
    hash_ = base::hash_bytes(hash_, target);
  }

  const WeightsReader* read_;
  std::uint64_t hash_;
  std::vector<std::byte> buffer_;
};

pugi::xml_attribute digest_in(const pugi::xml_node& net) {
  return net.child("rt_info").child("onnx2ir").child("weights_digest").attribute("value");
}

/// Finds the ranges of all constants, including those of bodies; false if one is outside of the weights.
bool find_constants(const pugi::xml_node& net, std::uint64_t size, std::vector<WeightsRange>& ranges) {
  for (const pugi::xpath_node layer : net.select_nodes("descendant::layer[@type='Const']")) {
    const pugi::xml_node data = layer.node().child("data");
    const WeightsRange range{data.attribute("offset").as_ullong(), data.attribute("size").as_ullong()};
    if (range.offset > size || range.size > size - range.offset) return false;
    ranges.push_back(range);
  }
  return true;
}

}  // namespace

std::string weights_digest(std::uint64_t file_size, std::vector<WeightsRange> constants,
                           const WeightsReader& read) {
  std::erase_if(constants, [](const WeightsRange& range) { return range.size == 0; });
  std::ranges::sort(constants);
  constants.erase(std::unique(constants.begin(), constants.end()), constants.end());
  Digest digest(file_size, read);
  for (std::size_t i = 0; i < constants.size(); ++i) digest.add(i, constants[i]);
  return digest.text();
}

std::string weights_digest(const WeightsLayout& layout) {
  std::vector<WeightsRange> ranges;
  std::vector<const ir::ConstantData*> data;
  const bool has_constants = !layout.is_filler;
  for (const WeightsLayout::Block& block : layout.blocks) {
    if (!has_constants || block.data->written_size() == 0) continue;
    ranges.push_back({block.offset, block.data->written_size()});
    data.push_back(block.data);
  }
  const auto read = [&](std::size_t range, std::uint64_t offset, std::span<std::byte> target) {
    ir::copy_written(*data[range], offset - ranges[range].offset, target);
  };
  return weights_digest(layout.size, ranges, read);
}

std::optional<std::string> digest_problem(const pugi::xml_node& net, std::uint64_t size,
                                          const WeightsReader& read) {
  const pugi::xml_attribute digest = digest_in(net);
  if (!digest) return std::nullopt;
  const std::uint64_t expected =
      net.child("rt_info").child("onnx2ir").child("weights_size").attribute("value").as_ullong();
  if (expected != size) {
    return fmt::format("the weights are {} bytes long, the XML was written with weights of {} bytes", size,
                       expected);
  }
  std::vector<WeightsRange> ranges;
  if (!find_constants(net, size, ranges)) return "a constant lies outside of the weights";
  if (weights_digest(size, std::move(ranges), read) == digest.value()) return std::nullopt;
  return "the weights are not those that the XML was written with";
}

std::optional<std::string> pair_problem(const std::filesystem::path& xml, const std::filesystem::path& bin) {
  std::shared_ptr<const base::InputFile> text;
  std::shared_ptr<const base::InputFile> weights;
  {
    // Under the lock, so that the check does not run between the two renames of a writer.
    platform::OutputFolder folder_of_xml(xml);
    platform::OutputFolder folder_of_bin(bin);
    for (const platform::OutputFolder* folder : {&folder_of_xml, &folder_of_bin}) {
      if (folder->error())
        return fmt::format("'{}' cannot be read: {}", folder->path().string(), folder->error().message());
    }
    const platform::FolderLocks locks(folder_of_xml, folder_of_bin);
    for (const auto& [path, file] : {std::pair(&xml, &text), std::pair(&bin, &weights)}) {
      auto opened = base::open_file(*path);
      if (!opened) return fmt::format("'{}' cannot be read: {}", path->string(), opened.error().message);
      *file = *std::move(opened);
    }
  }
  try {
    std::string bytes = text->text();
    pugi::xml_document document;
    if (const auto parsed = document.load_buffer_inplace(bytes.data(), bytes.size()); !parsed)
      return fmt::format("'{}' is not valid XML: {} at byte {}", xml.string(), parsed.description(),
                         parsed.offset);
    const auto read = [&](std::size_t, std::uint64_t offset, std::span<std::byte> target) {
      weights->read(offset, target);
    };
    if (auto problem = digest_problem(document.child("net"), weights->size(), read))
      return fmt::format("'{}' and '{}' do not belong together: {}", xml.string(), bin.string(), *problem);
    if (!digest_in(document.child("net")))
      return fmt::format("'{}' has no digest of its weights: onnx2ir did not write it", xml.string());
  } catch (const base::Failure& failure) {
    if (failure.code() != DiagnosticCode::unreadable_input) throw;
    return failure.what();
  }
  return std::nullopt;
}

}  // namespace onnx2ir::backend_xml
