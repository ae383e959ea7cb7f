// The location of the bytes of a model's tensors.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "frontend/reader/external_data.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/wire_scan.hpp"
#include "ir/constant_data.hpp"

namespace onnx2ir::frontend {

/// The raw data stripped from a model, and the model's external files.
class WeightTable {
 public:
  /// Weights in the model's own file.
  WeightTable(std::shared_ptr<const base::InputFile> model, std::vector<ByteRange> raw_data,
              ExternalFolders folders);
  /// Weights in memory that is valid only during the call: copied once.
  WeightTable(std::span<const std::byte> model, std::vector<ByteRange> raw_data, ExternalFolders folders);

  ExternalFiles& external() { return external_; }
  const ExternalFiles& external() const { return external_; }

  /// Opens the file of a tensor with external data, for external_bytes().
  void open_external(const onnx::TensorProto& tensor);

  /// The number of bytes of raw_data, also if they were stripped.
  std::uint64_t raw_data_size(const onnx::TensorProto& tensor) const;
  /// The bytes of raw_data: a view if they were stripped, otherwise a copy (which is short).
  ir::ConstantData raw_data_bytes(const onnx::TensorProto& tensor) const;
  /// The bytes of a tensor with external data that takes `size` bytes. A problem is bad_external_data.
  Result<ir::ConstantData> external_bytes(const onnx::TensorProto& tensor, std::uint64_t size) const;

  /// The most bytes that sparse tensors of the model may take in dense form at the same time.
  static constexpr std::uint64_t kMaxDenseBytes = std::uint64_t{1} << 29;
  /// Allocates `size` zeros for the dense form of a sparse tensor; null if kMaxDenseBytes would be exceeded.
  std::shared_ptr<std::vector<std::byte>> make_dense(std::uint64_t size) const;

 private:
  std::optional<ByteRange> stripped_range(const onnx::TensorProto& tensor) const;

  std::vector<ByteRange> raw_data_;  ///< ranges of the file or of the memory
  std::shared_ptr<const base::InputFile> model_;
  std::shared_ptr<const std::vector<std::byte>> memory_;
  ExternalFiles external_;
  /// The bytes allocated by make_dense() and not released yet; shared with the tensors.
  std::shared_ptr<std::atomic<std::uint64_t>> dense_bytes_ = std::make_shared<std::atomic<std::uint64_t>>(0);
};

}  // namespace onnx2ir::frontend
