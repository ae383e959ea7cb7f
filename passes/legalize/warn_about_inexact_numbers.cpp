// Warns if a type or a constant shows that the CPU plugin computes inexactly: some operations on integers in
// f32, and operations on f64 with infinities, which it replaces by finite numbers.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

// Larger constants are weights; searching them would read the model's files.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 16;
constexpr double kLargestExact = 1 << 24;

template <typename Test>
bool has_element(ir::Value value, Test test) {
  const ir::ConstantData* const data = value.node->constant();
  if (data == nullptr || data->size() > kMaxBytes) return false;
  const auto numbers = ir::exact_numbers(value);
  return numbers && std::ranges::any_of(*numbers, test);
}

/// Integers that f32 cannot hold. The extremes of the type mean "no bound".
bool is_inexact(double number) {
  const double size = std::abs(number);
  return size > kLargestExact && size < static_cast<double>(std::numeric_limits<std::int32_t>::max());
}

// Operations that the CPU plugin computes in f32 if their inputs are integers.
constexpr ir::OperationSet kRounded = {ops::Power,     ops::MatMul,  ops::Divide,      ops::FloorMod,
                                       ops::Mod,       ops::Equal,   ops::NotEqual,    ops::Less,
                                       ops::LessEqual, ops::Greater, ops::GreaterEqual};

bool loses_integers(const ir::Node& node) {
  if (!node.is_one_of(kRounded)) return false;
  const ir::ElementType type = node.input(0).type();
  if (type != ir::ElementType::i64 && type != ir::ElementType::i32) return false;
  return node.is_one_of({ops::Power, ops::MatMul}) ||
         std::ranges::any_of(node.inputs(), [](ir::Value input) { return has_element(input, is_inexact); });
}

bool loses_infinities(const ir::Node& node) {
  return std::ranges::any_of(node.inputs(), [&](ir::Value input) {
    if (input.type() != ir::ElementType::f64) return false;
    return node.is_one_of({ops::IsInf, ops::IsFinite}) ||
           has_element(input, [](double number) { return std::isinf(number); });
  });
}

/// Reports one warning that names the first node and counts the others.
void report(PassContext& context, const std::vector<const ir::Node*>& nodes, std::string_view what) {
  if (nodes.empty()) return;
  const ir::Node& first = *nodes.front();
  Diagnostic diagnostic;
  diagnostic.severity = Severity::warning;
  diagnostic.code = DiagnosticCode::inexact_number;
  const std::string operation(first.op().name);
  diagnostic.message =
      fmt::format("OpenVINO's CPU runtime {}, in {}", what,
                  first.name.empty() ? "an operation " + operation : operation + " '" + first.name + "'");
  if (nodes.size() > 1)
    diagnostic.notes.push_back(fmt::format("and in {} more operations", nodes.size() - 1));
  context.sink->report(std::move(diagnostic));
}

}  // namespace

bool warn_about_inexact_numbers(ir::Model& model, PassContext& context) {
  if (context.sink == nullptr) return false;
  std::vector<const ir::Node*> integers;
  std::vector<const ir::Node*> doubles;
  for (const ir::Graph* graph : graphs_of(model)) {
    const bool has_doubles = graph->may_hold(ir::ElementType::f64);
    if (!has_doubles && !graph->may_hold(kRounded)) continue;
    for (const auto& node : graph->nodes()) {
      if (loses_integers(*node)) integers.push_back(node.get());
      if (has_doubles && loses_infinities(*node)) doubles.push_back(node.get());
    }
  }
  report(context, integers, "rounds integers beyond 2^24");
  report(context, doubles, "makes infinities of f64 finite");
  return false;
}

}  // namespace onnx2ir::passes
