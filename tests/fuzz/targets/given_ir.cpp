#include "targets/given_ir.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "backend_xml/write_model.hpp"
#include "base/failure.hpp"
#include "ir/text/parser.hpp"
#include "mutator/text.hpp"

namespace onnx2ir::fuzz {

Pair pair_of(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);  // NOLINT
  const std::size_t end = std::min(all.find('\0'), all.size());
  const auto rest = std::as_bytes(std::span(all.substr(std::min(end + 1, all.size()))));
  return {all.substr(0, end), {rest.begin(), rest.end()}};
}

std::optional<Model> given_model(const std::uint8_t* data, std::size_t size) {
  Pair pair = pair_of(data, size);
  std::string xml(pair.text);
  if (!pair.text.starts_with('<')) {
    try {
      const auto model = ir::parse_text(pair.text, ir::ConstantData(std::move(pair.weights)));
      xml = backend_xml::xml_text(*model);
      pair.weights = backend_xml::weights_bytes(*model);
    } catch (const base::Failure& failure) {
      if (failure.code() != DiagnosticCode::unreadable_ir) throw;
      return std::nullopt;
    }
  }
  Conversion read = read_ir_bytes(xml, std::move(pair.weights));
  check_diagnostics(read.diagnostics);
  if (read.model.has_value() == !read.diagnostics.empty())
    fail("there must be a model or a reason, not both");
  return std::move(read.model);
}

void fail(std::string_view what) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

void check_diagnostics(const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.code == DiagnosticCode::internal_error) fail(to_string(diagnostic));
  }
}

}  // namespace onnx2ir::fuzz

/// Changes the words of the text; once in eight times, bytes of the weights instead.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned int seed) {
  using namespace onnx2ir;
  fuzz::Random random(seed);
  const fuzz::Pair pair = fuzz::pair_of(data, size);
  if (random.one_in(8)) {
    const std::size_t kept = std::min(pair.text.size() + 1, size);
    return kept + LLVMFuzzerMutate(data + kept, size - kept, most - kept);
  }
  const std::string text = fuzz::mutated_text(pair.text, random);
  if (text.size() >= most) return size;
  const std::vector<std::byte> weights = pair.weights;
  std::memcpy(data, text.data(), text.size());
  data[text.size()] = 0;
  const std::size_t fitting = std::min(weights.size(), most - text.size() - 1);
  if (fitting != 0) std::memcpy(data + text.size() + 1, weights.data(), fitting);
  return text.size() + 1 + fitting;
}
