// Models with mutated structure: operators, attributes, constants, axes, bodies, functions, external
// data.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "mutator/external_files.hpp"
#include "mutator/mutate.hpp"
#include "targets/outcome.hpp"

namespace {

using namespace onnx2ir;

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};  // NOLINT
}

/// The size of `bytes` in `target`; 0, which means no change to libFuzzer, if they do not fit.
std::size_t put(const std::string& bytes, std::uint8_t* target, std::size_t most) {
  if (bytes.size() > most) return 0;
  std::memcpy(target, bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::ExternalFiles kFiles;
  Options options = fuzz::limited_options();
  options.external_data_folder = kFiles.folder();
  options.compress_to_fp16 = size % 8 == 0;
  options.unroll_loops = size % 8 == 1;
  options.stateful = size % 32 == 2;
  fuzz::check_outcome(convert_bytes(std::as_bytes(std::span(data, size)), options));
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned int seed) {
  fuzz::Random random(seed);
  return put(fuzz::mutated_model(text_of(data, size), random), data, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                 const std::uint8_t* second, std::size_t second_size,
                                                 std::uint8_t* target, std::size_t most, unsigned int seed) {
  fuzz::Random random(seed);
  const std::string joined =
      fuzz::joined_models(text_of(first, first_size), text_of(second, second_size), random);
  return put(joined, target, most);
}
