#include "ir/text/printer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>

#include "base/joined.hpp"
#include "ir/op_descriptor.hpp"
#include "ir/text/constants.hpp"
#include "ir/text/cursor.hpp"
#include "ir/text/values.hpp"

namespace onnx2ir::ir {
namespace {

/// " note(rounded, stacked)"
std::string notes_text(const NoteSet& notes) {
  std::vector<std::string_view> names;
  notes.for_each([&](Note note) { names.push_back(kNoteNames[static_cast<std::size_t>(note)]); });
  return " note(" + base::joined(names, ", ") + ")";
}

/// Assigns an id to each node of a graph: its name, or `_` and its operation, with a number if that is taken.
class Ids {
 public:
  void add(const Node& node) {
    const bool is_bare =
        !node.name.empty() && node.name.front() != '_' && std::ranges::all_of(node.name, is_name_letter);
    std::string id = node.name.empty() ? fmt::format("%_{}", node.op().name)
                     : is_bare         ? '%' + node.name
                                       : '%' + ir::quoted(node.name);
    const std::size_t number = ++uses_[id];
    if (number > 1) id += fmt::format("~{}", number);
    ids_.emplace(&node, std::move(id));
  }
  std::string of(const Node& node) const {
    const auto found = ids_.find(&node);
    return found == ids_.end() ? "%?" : found->second;  // for a graph that the verifier rejects
  }
  std::string of(Value value) const {
    if (!value) return "%?";
    return value.index == 0 ? of(*value.node) : fmt::format("{}#{}", of(*value.node), value.index);
  }

 private:
  std::map<std::string, std::size_t> uses_;
  std::unordered_map<const Node*, std::string> ids_;
};

class Printer {
 public:
  explicit Printer(TextWeights* weights, const Origins* origins = nullptr)
      : constants_(weights), origins_(origins) {}

  std::string print(const Model& model) {
    line("model {}", ir::quoted(model.name));
    for (const auto& [name, value] : model.runtime_options)
      line("option {} = {}", ir::quoted(name), ir::quoted(value));
    for (const auto& [place, layout] : model.layouts)
      line("layout {} = {}", ir::quoted(place), ir::quoted(layout));
    text_.push_back('\n');
    nodes(model.graph, ids_of(model.graph));
    return std::move(text_);
  }

 private:
  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_.append(2 * depth_, ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_.push_back('\n');
  }

  static Ids ids_of(const Graph& graph) {
    Ids ids;
    for (const auto& node : graph.nodes()) ids.add(*node);
    return ids;
  }

  void nodes(const Graph& graph, const Ids& ids) {
    for (const auto& node_pointer : graph.nodes()) node(*node_pointer, ids);
  }

  /// A comment with the origin. Names may contain line breaks.
  void origin(const Node& node) {
    if (origins_ == nullptr || node.constant() != nullptr) return;
    std::string text = origin_text(*origins_, node);
    std::ranges::replace_if(
        text, [](char letter) { return static_cast<unsigned char>(letter) < ' '; }, ' ');
    if (!text.empty()) line("// {}", text);
  }

  void node(const Node& node, const Ids& ids) {
    origin(node);
    std::string text = fmt::format("{} = {}", ids.of(node), node.op().name);
    const bool takes_inputs = node.op().max_inputs != 0;
    if (takes_inputs)
      text += '(' + base::joined(node.inputs(), ", ", [&](Value input) { return ids.of(input); }) + ')';
    if (!node.attributes().empty()) {
      text += " {" +
              base::joined(node.attributes(), ", ",
                           [](const Attribute& attribute) {
                             return fmt::format("{}={}", attribute.name, attribute_text(attribute.value));
                           }) +
              '}';
    }
    node.marks.for_each([&](Mark mark) { text += fmt::format(" {}", mark_name(mark)); });
    if (!node.notes.is_empty()) text += notes_text(node.notes);
    if (!node.outputs().empty()) text += " : ";
    text += base::joined(node.outputs(), ", ", [](const Output& output) {
      std::string type = type_text(output.type, output.shape);
      for (const std::string& name : output.names) type += ' ' + ir::quoted(name);
      return type;
    });
    if (const ConstantData* data = node.constant()) text += " = " + constants_.text(node.output(0), *data);
    const LoopBody* const loop = node.loop();
    const IfBranches* const branches = node.branches();
    line("{}{}", text, loop != nullptr || branches != nullptr ? " {" : "");
    if (loop == nullptr && branches == nullptr) return;
    ++depth_;
    if (loop != nullptr) loop_body(node, ids, *loop);
    if (branches != nullptr) {
      branch(node, ids, "then", branches->then_branch);
      branch(node, ids, "else", branches->else_branch);
    }
    --depth_;
    line("}}");
  }

  static std::string outer(const Node& node, const Ids& ids, std::uint32_t input) {
    return fmt::format("input {}: {}", input,
                       input < node.inputs().size() ? ids.of(node.input(input)) : "%?");
  }

  template <typename Port>
  static std::string guarded(const Port& port) {
    return port.is_guarded ? ", guarded" : "";
  }

  static std::string slices(const Slices& slices) {
    std::string text = fmt::format(", axis {}", slices.axis);
    if (slices.start != 0) text += fmt::format(", start {}", slices.start);
    if (slices.end != -1) text += fmt::format(", end {}", slices.end);
    if (slices.stride != 1) text += fmt::format(", stride {}", slices.stride);
    if (slices.part_size != 1) text += fmt::format(", part_size {}", slices.part_size);
    return text;
  }

  void invariants(const Node& node, const Ids& ids, const Ids& inner, const std::vector<Invariant>& list) {
    for (const Invariant& invariant : list) {
      line("invariant {} = {}", inner.of(*invariant.parameter), outer(node, ids, invariant.input));
    }
  }

  void loop_body(const Node& node, const Ids& ids, const LoopBody& body) {
    const Ids inner = ids_of(*body.graph);
    if (body.iteration != nullptr) line("iteration {}", inner.of(*body.iteration));
    if (body.condition != nullptr) line("condition {}", inner.of(*body.condition));
    for (const Carried& carried : body.carried) {
      line("carried {} = {}, back_edge {}{}", inner.of(*carried.parameter), outer(node, ids, carried.input),
           inner.of(*carried.result),
           carried.output ? fmt::format(", output {}{}", *carried.output, guarded(carried)) : "");
    }
    for (const Sliced& sliced : body.sliced) {
      line("sliced {} = {}{}", inner.of(*sliced.parameter), outer(node, ids, sliced.input), slices(sliced));
    }
    invariants(node, ids, inner, body.invariants);
    for (const Scan& scan : body.scans)
      line("output {} = scan {}{}", scan.output, inner.of(*scan.result), slices(scan) + guarded(scan));
    for (const LastValue& last : body.last_values)
      line("output {} = last {}", last.output, inner.of(*last.result));
    text_.push_back('\n');
    nodes(*body.graph, inner);
  }

  void branch(const Node& node, const Ids& ids, std::string_view name, const Branch& branch) {
    line("{} {{", name);
    ++depth_;
    const Ids inner = ids_of(*branch.graph);
    invariants(node, ids, inner, branch.invariants);
    for (std::size_t i = 0; i < branch.results.size(); ++i)
      line("output {} = {}", i, inner.of(*branch.results[i]));
    text_.push_back('\n');
    nodes(*branch.graph, inner);
    --depth_;
    line("}}");
  }

  ConstantPrinter constants_;
  const Origins* origins_;
  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string text(const Model& model, TextWeights& weights) {
  return Printer(&weights).print(model);
}

std::string text(const Model& model) {
  TextWeights weights;
  return text(model, weights);
}

std::string text_with_hashes(const Model& model, const Origins* origins) {
  return Printer(nullptr, origins).print(model);
}

}  // namespace onnx2ir::ir
