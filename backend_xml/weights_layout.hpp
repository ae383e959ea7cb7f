// Where each constant of a model lies in the weights file.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::backend_xml {

/// The weights file: what is written where. Constants with equal bytes share a place.
struct WeightsLayout {
  /// Each distinct constant once, in the order of the file.
  struct Block {
    const ir::ConstantData* data;
    std::uint64_t offset;
  };
  std::vector<Block> blocks;
  std::uint64_t size = 0;
  /// Whether the blocks are a byte that belongs to no constant.
  bool is_filler = false;
  /// Where the bytes of each constant begin, in the order of their layers, those of bodies at their node.
  std::vector<std::uint64_t> offsets;
};

/// Lays out the constants of `model` and of all bodies, in the order of their layers. Each starts at a
/// multiple of 64 bytes, so that the runtime can use the mapped file in place. Of a constant in a file, only
/// samples are read unless they are those of another one of its size; then each of the two is read through
/// once. Reading takes a bounded amount of memory. Throws ir::InputError.
WeightsLayout lay_out_weights(const ir::Model& model);

}  // namespace onnx2ir::backend_xml
