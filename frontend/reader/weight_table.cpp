#include "frontend/reader/weight_table.hpp"

#include <fmt/core.h>

#include "frontend/reader/onnx_proto.hpp"

namespace onnx2ir::frontend {

WeightTable::WeightTable(std::shared_ptr<const base::InputFile> model, std::vector<ByteRange> raw_data,
                         ExternalFolders folders)
    : raw_data_(std::move(raw_data)), model_(std::move(model)), external_(std::move(folders)) {}

WeightTable::WeightTable(std::span<const std::byte> model, std::vector<ByteRange> raw_data,
                         ExternalFolders folders)
    : raw_data_(std::move(raw_data)), external_(std::move(folders)) {
  auto memory = std::make_shared<std::vector<std::byte>>();
  std::uint64_t total = 0;
  for (const ByteRange& range : raw_data_) total += range.size;
  memory->reserve(total);
  for (ByteRange& range : raw_data_) {
    const auto bytes = model.subspan(range.offset, range.size);
    range.offset = memory->size();
    memory->insert(memory->end(), bytes.begin(), bytes.end());
  }
  memory_ = std::move(memory);
}

void WeightTable::open_external(const onnx::TensorProto& tensor) {
  if (const auto range = parse_external_range(tensor)) external_.open(range->location);
}

std::optional<ByteRange> WeightTable::stripped_range(const onnx::TensorProto& tensor) const {
  const auto reference = raw_data_reference(tensor.raw_data());
  if (!reference || *reference >= raw_data_.size()) return std::nullopt;
  return raw_data_[*reference];
}

std::uint64_t WeightTable::raw_data_size(const onnx::TensorProto& tensor) const {
  const auto range = stripped_range(tensor);
  return range ? range->size : tensor.raw_data().size();
}

ir::ConstantData WeightTable::raw_data_bytes(const onnx::TensorProto& tensor) const {
  const auto range = stripped_range(tensor);
  if (!range) {
    const auto bytes = std::as_bytes(std::span(tensor.raw_data()));
    return ir::ConstantData(std::vector<std::byte>(bytes.begin(), bytes.end()));
  }
  if (model_) return {model_, range->offset, range->size};
  return {memory_, std::span(*memory_).subspan(range->offset, range->size)};
}

Result<ir::ConstantData> WeightTable::external_bytes(const onnx::TensorProto& tensor,
                                                     std::uint64_t size) const {
  const auto damaged = [](std::string message) {
    return Problem{DiagnosticCode::bad_external_data, std::move(message)};
  };
  const auto range = parse_external_range(tensor);
  if (!range) return range.error();
  if (range->length && *range->length != size) {
    return damaged(fmt::format("its external data has {} bytes, but its type and shape require {}",
                               *range->length, size));
  }
  const base::FileResult* opened = external_.find(range->location);
  if (opened == nullptr) return damaged("its external data was not opened with the model");
  if (!*opened) return opened->error();
  const std::shared_ptr<const base::InputFile>& file = **opened;
  const std::uint64_t available = file->size();
  if (range->offset > available || size > available - range->offset) {
    return damaged(fmt::format("its external data is {} bytes at {} of the file '{}', which has only {}",
                               size, range->offset, range->location, available));
  }
  return ir::ConstantData(file, range->offset, size);
}

std::shared_ptr<std::vector<std::byte>> WeightTable::make_dense(std::uint64_t size) const {
  if (size > kMaxDenseBytes || dense_bytes_->fetch_add(size) + size > kMaxDenseBytes) {
    if (size <= kMaxDenseBytes) dense_bytes_->fetch_sub(size);
    return nullptr;
  }
  return {new std::vector<std::byte>(size), [counter = dense_bytes_, size](std::vector<std::byte>* bytes) {
            delete bytes;
            counter->fetch_sub(size);
          }};
}

}  // namespace onnx2ir::frontend
