// The offsets of constants in the weights file.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::backend_xml {

/// The content of the weights file. Constants with equal bytes share a range.
struct WeightsLayout {
  /// Each distinct constant, in file order.
  struct Block {
    const ir::ConstantData* data;
    std::uint64_t offset;
  };
  std::vector<Block> blocks;
  std::uint64_t size = 0;
  /// Whether the only block is one byte that belongs to no constant.
  bool is_filler = false;
  /// The offset of each constant, in the order of layers; constants of bodies at the position of their node.
  std::vector<std::uint64_t> offsets;
};

/// Lays out the constants of `model` and all bodies in the order of their layers. Each offset is a multiple
/// of 64 bytes, so that the runtime can use the mapped file in place. Of a constant in a file, only samples
/// are read, unless they equal those of another constant of the same size; then both are read once. Uses
/// bounded memory. Throws Failure (unreadable_input).
WeightsLayout lay_out_weights(const ir::Model& model);

}  // namespace onnx2ir::backend_xml
