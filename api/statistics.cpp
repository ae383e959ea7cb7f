// Counts what is in a model, before and after the conversion.
#include "ir/statistics/statistics.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "api/model.hpp"
#include "api/stages.hpp"
#include "base/failure.hpp"
#include "base/joined.hpp"
#include "base/nearest_name.hpp"
#include "base/number_text.hpp"
#include "ir/inference.hpp"
#include "onnx2ir/onnx2ir.hpp"

namespace onnx2ir {
namespace {

/// Different names, in the order of their first occurrence.
class NameList {
 public:
  void add(std::string name) {
    if (known_.insert(name).second) names_.push_back(std::move(name));
  }
  bool contains(const std::string& name) const { return known_.contains(name); }
  bool empty() const { return names_.empty(); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_set<std::string> known_;  ///< only used for look-ups
};

using SizesByName = std::map<std::string, std::int64_t, std::less<>>;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The parts of the sum that a dimension is called after: "past + length".
std::vector<std::string_view> summands(std::string_view name) {
  std::vector<std::string_view> parts;
  while (!name.empty()) {
    const auto plus = std::min(name.find('+'), name.size());
    parts.push_back(trimmed(name.substr(0, plus)));
    name.remove_prefix(std::min(plus + 1, name.size()));
  }
  return parts;
}

std::optional<std::int64_t> number(std::string_view text) {
  const auto value = base::parse_number<std::int64_t>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

/// The size of a dimension called `name`: given, or the sum of names that are given and of numbers. The parts
/// of a sum that are not given are added to `missing`.
std::optional<std::int64_t> size_of(std::string_view name, const SizesByName& sizes, NameList& missing) {
  if (const auto found = sizes.find(name); found != sizes.end()) return found->second;
  std::int64_t sum = 0;
  std::vector<std::string> unknown;
  for (const std::string_view part : summands(name)) {
    const auto given = sizes.find(part);
    const auto size = given == sizes.end() ? number(part) : given->second;
    if (!size) unknown.emplace_back(part);
    if (__builtin_add_overflow(sum, size.value_or(0), &sum)) unknown.emplace_back(part);
  }
  if (unknown.empty() && !name.empty()) return sum;
  for (std::string& part : unknown) missing.add(std::move(part));
  return std::nullopt;
}

Diagnostic bad_size(std::string message) {
  return base::diagnostic_of({DiagnosticCode::bad_interface, std::move(message)});
}

/// Gives the dynamic dimensions of the inputs of a model the sizes that the options name.
class SizeSetter {
 public:
  SizeSetter(const frontend::DimensionNames& names, const StatsOptions& options) : names_(&names) {
    for (const auto& [name, size] : options.sizes) sizes_.insert_or_assign(name, size);
  }

  /// Returns whether a size has changed.
  bool set(ir::Model& model) {
    bool has_changed = false;
    for (ir::Node* input : model.graph.parameters()) {
      ir::PartialShape shape = input->output(0).shape;
      if (!shape.has_rank()) {
        missing.add(input->name);
        continue;
      }
      bool is_set = false;
      for (std::size_t axis = 0; axis < shape.rank(); ++axis) is_set = set(*input, shape, axis) || is_set;
      if (is_set) ir::declare_output(*input, 0, input->output(0).type, std::move(shape));
      has_changed = has_changed || is_set;
    }
    check_names();
    return has_changed;
  }

  NameList missing;
  std::vector<Diagnostic> problems;

 private:
  bool set(const ir::Node& input, ir::PartialShape& shape, std::size_t axis) {
    const std::string place = input.name + '[' + std::to_string(axis) + ']';
    const std::string name = name_of(input.name, shape.rank(), axis);
    known_.add(place);
    for (const std::string_view part : summands(name)) known_.add(std::string(part));
    if (!name.empty()) known_.add(name);
    const auto given = sizes_.find(place);
    if (shape[axis].is_static() && given == sizes_.end()) return false;
    if (!shape[axis].is_static()) add_dynamic(name, place);
    const auto size = given != sizes_.end() ? given->second : size_of(name, sizes_, missing);
    if (!size) {
      if (name.empty()) missing.add(place);
      return false;
    }
    if (!shape[axis].admits(*size)) {
      problems.push_back(bad_size("input '" + input.name + "' cannot have " + std::to_string(*size) +
                                  " elements along axis " + std::to_string(axis) + ": the model has " +
                                  ir::to_string(shape[axis]) + " there"));
      return false;
    }
    shape[axis] = *size;
    return true;
  }

  std::string name_of(const std::string& input, std::size_t rank, std::size_t axis) const {
    const auto found = names_->find(input);
    return found == names_->end() || found->second.size() != rank ? std::string() : found->second[axis];
  }

  void check_names() {
    for (const auto& [name, size] : sizes_) {
      if (known_.contains(name)) continue;
      problems.push_back(bad_size("no input of the model has a dimension '" + name + "'"));
      problems.back().hint = hint_for(name);
    }
  }

  /// Adds the names that give the size of a dynamic dimension: the parts of the sum that it is called after,
  /// or its place.
  void add_dynamic(std::string_view name, const std::string& place) {
    std::vector<std::string> names;
    for (const std::string_view part : summands(name)) {
      if (!number(part)) names.emplace_back(part);
    }
    if (names.empty()) names.push_back(place);
    for (std::string& one : names) dynamic_.add(std::move(one));
  }

  /// The nearest name, and all names that can be given.
  std::string hint_for(const std::string& name) const {
    const std::string nearest = base::suggestion(name, known_.names());
    const std::string all = dynamic_.empty()
                                ? "all sizes of the inputs are static"
                                : "the dynamic sizes are: " + base::joined(dynamic_.names(), ", ");
    return nearest.empty() ? all : nearest + ' ' + all;
  }

  const frontend::DimensionNames* names_;
  SizesByName sizes_;
  NameList known_;
  NameList dynamic_;  ///< the names and places of dynamic dimensions
};

}  // namespace

Stats stats(const Model& model, const StatsOptions& options) {
  Model::Implementation& implementation = *model.implementation_;
  Stats result;
  DiagnosticSink sink;
  contain(sink, [&] {
    const auto copy = written(implementation);
    result.onnx = implementation.source ? frontend::counts_of(*implementation.source) : implementation.counts;
    SizeSetter setter(implementation.input_names, options);
    const bool has_changed = setter.set(*copy);
    result.missing_sizes = setter.missing.names();
    for (Diagnostic& problem : setter.problems) sink.report(std::move(problem));
    if (sink.has_errors()) return;
    const auto problem = base::problem_of(DiagnosticCode::invalid_node, [&] {
      if (has_changed) ir::infer_stale(copy->graph);
    });
    if (problem) return sink.report(bad_size("the sizes do not fit the model: " + problem->message));
    ir::Statistics found = ir::statistics_of(*copy);
    result.ir = std::move(found.counts);
    result.costs = std::move(found.costs);
  });
  result.diagnostics = sink.take();
  return result;
}

Result<std::vector<std::pair<std::string, std::int64_t>>> parse_sizes(std::string_view text) {
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    const auto equals = part.rfind('=');
    const std::string_view digits = equals == std::string_view::npos ? "" : trimmed(part.substr(equals + 1));
    const auto size = number(digits);
    if (!size && !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos)
      return Problem{DiagnosticCode::bad_interface,
                     "the size in '" + std::string(part) + "' is too large: sizes have 63 bits"};
    if (!size || equals == 0)
      return Problem{DiagnosticCode::bad_interface,
                     "'" + std::string(part) + "' is not NAME=SIZE, for example batch=8"};
    sizes.emplace_back(trimmed(part.substr(0, equals)), *size);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return sizes;
}

}  // namespace onnx2ir
