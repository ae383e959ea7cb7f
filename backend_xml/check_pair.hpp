// Checks that a weights file and an XML file were written together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "backend_xml/weights_digest.hpp"

namespace pugi {
class xml_node;
}  // namespace pugi

namespace onnx2ir::backend_xml {

/// The reason why weights of `size` bytes do not belong to the element <net>; no value if they have the
/// digest in it, or if it has no digest. `is_named`, unless null, is set to whether it has a digest.
std::optional<std::string> digest_problem(const pugi::xml_node& net, std::uint64_t size,
                                          const WeightsReader& read, bool* is_named = nullptr);

/// The reason why `xml` and `bin` cannot be read or are not a pair written by onnx2ir; no value if they are.
std::optional<std::string> pair_problem(const std::filesystem::path& xml, const std::filesystem::path& bin);

}  // namespace onnx2ir::backend_xml
