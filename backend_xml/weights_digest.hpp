// The digest in the XML file that identifies its weights file, and whether two files were written together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend_xml/weights_layout.hpp"

namespace pugi {
class xml_node;
}  // namespace pugi

namespace onnx2ir::backend_xml {

/// The range of a constant in the weights file.
struct WeightsRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  friend auto operator<=>(const WeightsRange&, const WeightsRange&) = default;  // NOLINT(*-use-nullptr)
};

/// Fills `target` with bytes of the weights file from `offset` on. `range` is the index of their constant
/// among the ranges in file order.
using WeightsReader =
    std::function<void(std::size_t range, std::uint64_t offset, std::span<std::byte> target)>;

/// 16 hexadecimal digits, computed from the file size, the range of each constant, all bytes of constants up
/// to 64 KiB, and 16 pages of each larger one, so that gigabytes need not be read again. It distinguishes
/// weights of different models and versions; it does not protect against an attacker. Empty and repeated
/// ranges are ignored.
std::string weights_digest(std::uint64_t file_size, std::vector<WeightsRange> constants,
                           const WeightsReader& read);

/// The digest of the file with this layout. Throws Failure (unreadable_input).
std::string weights_digest(const WeightsLayout& layout);

/// The reason why weights of `size` bytes do not belong to the element <net>; no value if they have the
/// digest in it, or if it has no digest.
std::optional<std::string> digest_problem(const pugi::xml_node& net, std::uint64_t size,
                                          const WeightsReader& read);

/// The reason why `xml` and `bin` cannot be read or are not a pair written by onnx2ir; no value if they are.
std::optional<std::string> pair_problem(const std::filesystem::path& xml, const std::filesystem::path& bin);

}  // namespace onnx2ir::backend_xml
