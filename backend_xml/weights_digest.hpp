// What ties an XML file to its weights file: a digest that the XML carries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "backend_xml/weights_layout.hpp"

namespace onnx2ir::backend_xml {

/// A constant's place in the weights file.
struct WeightsRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  friend auto operator<=>(const WeightsRange&, const WeightsRange&) = default;  // NOLINT(*-use-nullptr)
};

/// Fills `target` with the bytes of the weights file from `offset` on. `range`: the constant they belong to,
/// as its index among the ranges in the order of the file.
using WeightsReader =
    std::function<void(std::size_t range, std::uint64_t offset, std::span<std::byte> target)>;

/// 16 hexadecimal digits from the size of the file, the place of each constant, all bytes of constants up to
/// 64 KiB, and 16 pages spread over each larger one: gigabytes are not read again for it. It tells weights of
/// different models and versions of models apart; it does not protect from somebody who wants to deceive.
/// Empty ranges and repeated ones do not count.
std::string weights_digest(std::uint64_t file_size, std::vector<WeightsRange> constants,
                           const WeightsReader& read);

/// The digest of the file that `layout` describes. Throws ir::InputError.
std::string weights_digest(const WeightsLayout& layout);

}  // namespace onnx2ir::backend_xml
