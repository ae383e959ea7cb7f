#include "ir/text/printer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <unordered_map>

#include "base/joined.hpp"
#include "ir/body_ports.hpp"
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
    const std::vector<ConnectedBody> bodies = connected_bodies(node);
    line("{}{}", text, bodies.empty() ? "" : " {");
    if (bodies.empty()) return;
    ++depth_;
    for (const ConnectedBody& one : bodies) body(node, ids, one);
    --depth_;
    line("}}");
  }

  static std::string outer(const Node& node, const Ids& ids, std::uint32_t input) {
    return fmt::format("input {}: {}", input,
                       input < node.inputs().size() ? ids.of(node.input(input)) : "%?");
  }

  static std::string slices(const Slices& slices) {
    std::string text = fmt::format(", axis {}", slices.axis);
    if (slices.start != 0) text += fmt::format(", start {}", slices.start);
    if (slices.end != -1) text += fmt::format(", end {}", slices.end);
    if (slices.stride != 1) text += fmt::format(", stride {}", slices.stride);
    if (slices.part_size != 1) text += fmt::format(", part_size {}", slices.part_size);
    return text;
  }

  /// `ids`: of the graph around the body; `inner`: of the body.
  static std::string port_text(const Node& node, const Ids& ids, const Ids& inner, const Port& port) {
    using Kind = Port::Kind;
    constexpr std::array<std::string_view, 7> kKinds{"invariant", "carried",   "sliced",   "scan ",
                                                     "last ",     "iteration", "condition"};
    const std::string_view kind = kKinds.at(static_cast<std::size_t>(port.kind));
    if (port.kind == Kind::condition) return fmt::format("{} {}", kind, inner.of(*port.result));
    std::string text;
    if (port.has_parameter()) {
      text = fmt::format("{} {}", kind, inner.of(*port.parameter));
      if (port.input) text += " = " + outer(node, ids, *port.input);
      if (port.kind == Kind::state) text += ", back_edge " + inner.of(*port.result);
      if (port.output) text += fmt::format(", output {}", *port.output);
    } else {
      text = fmt::format("output {} = {}{}", *port.output, node.loop() != nullptr ? kind : "",
                         inner.of(*port.result));
    }
    if (port.slices != nullptr) text += slices(*port.slices);
    return text + (port.is_guarded ? ", guarded" : "");
  }

  void body(const Node& node, const Ids& ids, const ConnectedBody& body) {
    if (body.is_branch()) {
      line("{} {{", body.name);
      ++depth_;
    }
    const Ids inner = ids_of(*body.graph);
    // The iteration and the condition, which only the body has, come first.
    for (const bool is_outer : {false, true}) {
      for (const Port& port : body.ports) {
        if ((port.input || port.output) == is_outer) line("{}", port_text(node, ids, inner, port));
      }
    }
    text_.push_back('\n');
    nodes(*body.graph, inner);
    if (body.is_branch()) {
      --depth_;
      line("}}");
    }
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
