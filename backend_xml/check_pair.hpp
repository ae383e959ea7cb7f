// Whether a weights file is the one that an XML file was written with.
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

/// What is wrong with weights of `size` bytes beside the IR in the element <net>; nothing when they have the
/// digest that it names, or when it names none. `is_named`, unless null, becomes whether it does.
std::optional<std::string> check_digest(const pugi::xml_node& net, std::uint64_t size,
                                        const WeightsReader& read, bool* is_named = nullptr);

/// What is wrong with the files `xml` and `bin`: they cannot be read, or are not a pair that onnx2ir wrote.
std::optional<std::string> check_pair(const std::filesystem::path& xml, const std::filesystem::path& bin);

}  // namespace onnx2ir::backend_xml
