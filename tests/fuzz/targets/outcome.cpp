#include "targets/outcome.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "backend_xml/write_model.hpp"
#include "backend_xml/xml_reader.hpp"
#include "base/failure.hpp"

namespace onnx2ir::fuzz {
namespace {

/// Larger constants are not read back: a small model can create large ones.
constexpr std::uint64_t kMaxMemory = 64U << 20U;
constexpr std::uint64_t kMaxFunctionNodes = 10'000;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

void check_round_trip(const Model& model) {
  const std::string xml = model.xml();
  try {
    const auto again = backend_xml::read_xml(xml, ir::ConstantData(model.weights()));
    if (backend_xml::xml_text(*again) != xml) fail("the XML reads back as another model");
  } catch (const base::Failure& reason) {
    fail(std::string("the XML does not read back: ") + reason.what());
  }
}

}  // namespace

Options limited_options() {
  Options options;
  options.max_memory = kMaxMemory;
  options.max_function_nodes = kMaxFunctionNodes;
  options.threads = 1;
  return options;
}

void check_outcome(const Conversion& conversion) {
  bool has_error = false;
  for (const Diagnostic& diagnostic : conversion.diagnostics) {
    if (diagnostic.code == onnx2ir::DiagnosticCode::internal_error) fail(to_string(diagnostic));
    has_error = has_error || diagnostic.severity == Severity::error;
  }
  if (conversion.model.has_value() == has_error) fail("there must be a model or an error, not both");
  if (conversion.model) check_round_trip(*conversion.model);
}

}  // namespace onnx2ir::fuzz
