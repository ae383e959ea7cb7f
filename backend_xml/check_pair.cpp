#include "backend_xml/check_pair.hpp"

#include <fmt/core.h>

#include <cstring>
#include <memory>
#include <pugixml.hpp>
#include <span>
#include <utility>

#include "backend_xml/output_folder.hpp"
#include "base/failure.hpp"
#include "base/input_file.hpp"

namespace onnx2ir::backend_xml {
namespace {

/// Finds the ranges of all constants, including those of bodies; false if one is outside of the weights.
bool find_constants(const pugi::xml_node& net, std::uint64_t size, std::vector<WeightsRange>& ranges) {
  struct Finder : pugi::xml_tree_walker {
    bool for_each(pugi::xml_node& node) override {
      if (std::strcmp(node.name(), "layer") != 0 || std::strcmp(node.attribute("type").value(), "Const") != 0)
        return true;
      const pugi::xml_node data = node.child("data");
      const WeightsRange range{data.attribute("offset").as_ullong(), data.attribute("size").as_ullong()};
      is_inside = range.offset <= size && range.size <= size - range.offset;
      if (is_inside) ranges->push_back(range);
      return is_inside;
    }
    std::uint64_t size = 0;
    std::vector<WeightsRange>* ranges = nullptr;
    bool is_inside = true;
  };
  Finder finder;
  finder.size = size;
  finder.ranges = &ranges;
  // pugixml has no traversal for const nodes; this one changes nothing.
  pugi::xml_node(net).traverse(finder);
  return finder.is_inside;
}

}  // namespace

std::optional<std::string> digest_problem(const pugi::xml_node& net, std::uint64_t size,
                                          const WeightsReader& read, bool* is_named) {
  const pugi::xml_node info = net.child("rt_info").child("onnx2ir");
  const pugi::xml_attribute digest = info.child("weights_digest").attribute("value");
  if (is_named != nullptr) *is_named = !digest.empty();
  if (!digest) return std::nullopt;
  const std::uint64_t expected = info.child("weights_size").attribute("value").as_ullong();
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
    OutputFolder folder_of_xml(xml);
    OutputFolder folder_of_bin(bin);
    for (const OutputFolder* folder : {&folder_of_xml, &folder_of_bin}) {
      if (folder->error())
        return fmt::format("'{}' cannot be read: {}", folder->path().string(), folder->error().message());
    }
    const FolderLocks locks(folder_of_xml, folder_of_bin);
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
      return fmt::format("'{}' is no XML: {} at byte {}", xml.string(), parsed.description(), parsed.offset);
    bool is_named = false;
    const auto read = [&](std::size_t, std::uint64_t offset, std::span<std::byte> target) {
      weights->read(offset, target);
    };
    if (auto problem = digest_problem(document.child("net"), weights->size(), read, &is_named))
      return fmt::format("'{}' and '{}' do not belong together: {}", xml.string(), bin.string(), *problem);
    if (!is_named)
      return fmt::format("'{}' has no digest of its weights: onnx2ir did not write it", xml.string());
  } catch (const base::Failure& failure) {
    if (failure.code() != DiagnosticCode::unreadable_input) throw;
    return failure.what();
  }
  return std::nullopt;
}

}  // namespace onnx2ir::backend_xml
