#include "ir/diff/diff.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "base/joined.hpp"
#include "ir/builder.hpp"
#include "ir/control_flow.hpp"
#include "ir/diff/matching.hpp"
#include "ir/extension.hpp"
#include "ir/narrowing.hpp"
#include "ir/op_descriptor.hpp"
#include "ir/text/constants.hpp"
#include "ir/text/values.hpp"

namespace onnx2ir::ir {
namespace {

/// Compares the elements of two numeric constants of the same type and shape; no value for others.
std::optional<Difference::Elements> changed_elements(const Output& output, const ConstantData& before,
                                                     const ConstantData& after) {
  const unsigned bits = info(output.type).bits;
  const std::uint64_t size = before.written_size();
  if (bits == 0 || size != after.written_size() || size % ((bits + 7) / 8) != 0) return std::nullopt;
  Difference::Elements found;
  double magnitude = 0;
  const auto compare = [&](std::span<const std::byte> of_before, std::span<const std::byte> of_after) {
    const std::size_t count = of_before.size() * 8 / bits;
    const auto old_values = decode_numbers(output.type, of_before, count);
    const auto new_values = decode_numbers(output.type, of_after, count);
    if (!old_values || !new_values) return false;
    found.count += count;
    for (std::size_t i = 0; i < count; ++i) {
      const double old_value = (*old_values)[i];
      const double new_value = (*new_values)[i];
      if (std::isfinite(old_value)) magnitude = std::max(magnitude, std::fabs(old_value));
      if (old_value == new_value || (std::isnan(old_value) && std::isnan(new_value))) continue;
      ++found.changed;
      const double change = std::fabs(new_value - old_value);
      found.largest = std::max(found.largest, std::isnan(change) ? HUGE_VAL : change);
    }
    return true;
  };
  if (!for_each_pair(before, after, compare)) return std::nullopt;
  found.relative = magnitude == 0 ? HUGE_VAL : found.largest / magnitude;
  return found;
}

/// The elements if they are few, otherwise the hash.
std::string value_text(const Output& output, const ConstantData& data) {
  constexpr std::size_t kLongest = 60;
  std::string text = ConstantPrinter(nullptr).text(output, data);
  return text.size() <= kLongest ? text : hash_text(data);
}

std::string value_name(Value value) {
  const std::string name = '\'' + value.node->name + '\'';
  return value.index == 0 ? name : fmt::format("{} output {}", name, value.index);
}

std::string names_text(const TensorNames& names) {
  std::vector<std::string> sorted(names.begin(), names.end());
  std::ranges::sort(sorted);
  if (sorted.empty()) return "without a name";
  return base::joined(sorted, ", ", [](const std::string& name) { return '\'' + name + '\''; });
}

/// The tensor name of an input or output of the model.
std::string interface_name(const Node& node) {
  const TensorNames& names = node.is(ops::Result) ? node.input(0).output().names : node.output(0).names;
  return '\'' + (names.empty() ? node.name : names.front()) + '\'';
}

/// Compares two graphs and their bodies.
class Differ {
 public:
  explicit Differ(const DiffOptions& options) : options_(options) {}

  std::vector<Difference> run(const Model& before, const Model& after) {
    compare_names("model", "name", '\'' + before.name + '\'', '\'' + after.name + '\'');
    facts("runtime option", before.runtime_options, after.runtime_options);
    facts("layout of", before.layouts, after.layouts);
    const std::vector<NodePair> ports =
        options_.ignores_names ? ports_in_order(before.graph, after.graph) : std::vector<NodePair>();
    const Matching matching(before.graph, after.graph, ports, {}, options_.ignores_names);
    order("inputs", before.graph.parameters(), after.graph.parameters(), matching);
    order("outputs", before.graph.results(), after.graph.results(), matching);
    graphs({before.graph, after.graph, matching, {}, "main"});
    return take();
  }

 private:
  /// Two graphs that are compared. `roles` belongs to bodies.
  struct Graphs {
    const Graph& before;
    const Graph& after;
    const Matching& matching;
    struct Roles {
      const BodyPorts* before = nullptr;
      const BodyPorts* after = nullptr;
      const Matching* outer = nullptr;
    } roles;
    std::string path;
  };

  void compare(std::string_view place, std::string_view what, const std::string& before,
               const std::string& after) {
    if (before != after) add(place, what, before, after);
  }
  void compare_names(std::string_view place, std::string_view what, const std::string& before,
                     const std::string& after) {
    if (!options_.ignores_names) compare(place, what, before, after);
  }
  void add(std::string_view place, std::string_view what, std::string before, std::string after) {
    std::string text = fmt::format("{}: {} {} -> {}", place, what, before, after);
    differences_.push_back({{.place = std::string(place),
                             .what = std::string(what),
                             .before = std::move(before),
                             .after = std::move(after),
                             .text = std::move(text)},
                            nodes_.first,
                            nodes_.second});
  }
  void add(std::string_view place, std::string_view what) {
    add(place, what, {}, {});
    differences_.back().text = fmt::format("{}: {}", place, what);
  }

  static std::vector<NodePair> ports_in_order(const Graph& before, const Graph& after) {
    std::vector<NodePair> pairs;
    const auto pair = [&](const std::vector<Node*>& of_before, const std::vector<Node*>& of_after) {
      for (std::size_t i = 0; i < std::min(of_before.size(), of_after.size()); ++i)
        pairs.emplace_back(of_before[i], of_after[i]);
    };
    pair(before.parameters(), after.parameters());
    pair(before.results(), after.results());
    return pairs;
  }

  /// Compares facts about the models, which are pairs of a name and a value.
  template <typename Facts>
  void facts(std::string_view kind, const Facts& before, const Facts& after) {
    struct Values {
      std::string before = "none";
      std::string after = "none";
    };
    std::map<std::string, Values> facts;
    for (const auto& [name, value] : before) facts[name].before = '\'' + value + '\'';
    for (const auto& [name, value] : after) facts[name].after = '\'' + value + '\'';
    for (const auto& [name, values] : facts)
      compare("model", fmt::format("{} {}", kind, name), values.before, values.after);
  }

  /// Compares the order of those inputs or outputs that both models have.
  void order(std::string_view what, const std::vector<Node*>& before, const std::vector<Node*>& after,
             const Matching& matching) {
    std::vector<const Node*> common_before;
    std::vector<const Node*> common_after;
    std::ranges::copy_if(before, std::back_inserter(common_before),
                         [&](const Node* node) { return matching.after_of(*node) != nullptr; });
    std::ranges::copy_if(after, std::back_inserter(common_after),
                         [&](const Node* node) { return matching.before_of(*node) != nullptr; });
    const auto match = [&](const Node* node) { return matching.after_of(*node); };
    if (std::ranges::equal(common_before, common_after, {}, match)) return;
    const auto name = [](const Node* node) { return interface_name(*node); };
    add("model", fmt::format("order of {}:", what), base::joined(common_before, " ", name),
        base::joined(common_after, " ", name));
  }

  void graphs(const Graphs& graphs) {
    const Stems stems_before(graphs.before);
    const Stems stems_after(graphs.after);
    for (const auto& node : graphs.before.nodes()) {
      const Node* const other = graphs.matching.after_of(*node);
      nodes_ = {node.get(), other};
      if (other == nullptr) {
        add(place(graphs, *node), "removed");
        continue;
      }
      const std::string where = place(graphs, *node);
      if (stems_before.of(*node) != stems_after.of(*other))
        compare_names(where, "name", '\'' + node->name + '\'', '\'' + other->name + '\'');
      nodes(graphs, where, *node, *other);
    }
    for (const auto& node : graphs.after.nodes()) {
      if (graphs.matching.before_of(*node) != nullptr) continue;
      nodes_ = {nullptr, node.get()};
      add(place(graphs, *node), "added");
    }
    nodes_ = {};
  }

  /// "main/loop_3.body/gate (MatMul)". A constant is also described by its first use.
  static std::string place(const Graphs& graphs, const Node& node) {
    std::string text = fmt::format("{}/{} ({}", graphs.path, node.name, layer_type(node));
    if (node.constant() != nullptr && !node.output(0).uses.empty()) {
      const Use& use = node.output(0).uses[0];
      text += fmt::format(", input {} of '{}'", use.index, use.node->name);
    }
    return text + ')';
  }

  void nodes(const Graphs& graphs, const std::string& where, const Node& before, const Node& after) {
    compare(where, "operation", std::string(layer_type(before)), std::string(layer_type(after)));
    attributes(where, before, after);
    for (std::size_t i = 0; i < kMarkNames.size(); ++i) {
      const auto has_mark = [i](const Node& node) { return node.marks.contains(static_cast<Mark>(i)); };
      compare(where, kMarkNames[i], has_mark(before) ? "true" : "false", has_mark(after) ? "true" : "false");
    }
    inputs(graphs, where, before, after);
    outputs(graphs, where, before, after);
    const ConstantData* const data_before = before.constant();
    const ConstantData* const data_after = after.constant();
    if (data_before != nullptr && data_after != nullptr && !have_equal_bytes(*data_before, *data_after)) {
      add(where, "value", value_text(before.output(0), *data_before),
          value_text(after.output(0), *data_after));
      if (before.output(0).type == after.output(0).type && before.output(0).shape == after.output(0).shape)
        add_elements(differences_.back(), changed_elements(before.output(0), *data_before, *data_after));
    }
    if (graphs.roles.outer != nullptr) roles(graphs, where, before, after);
    bodies(graphs, before, after);
  }

  /// In the text, only for constants whose elements are not shown.
  static void add_elements(Difference& difference, const std::optional<Difference::Elements>& elements) {
    difference.elements = elements;
    if (!elements || difference.before.starts_with('[')) return;
    difference.text += fmt::format(", {} of {} elements by at most {:.3g} (relative {:.3g})",
                                   elements->changed, elements->count, elements->largest, elements->relative);
  }

  void attributes(const std::string& where, const Node& before, const Node& after) {
    std::map<std::string_view, std::pair<std::string, std::string>> values;
    const auto collect = [&](const Node& node, auto side) {
      for (const Attribute& attribute : node.attributes()) {
        if (!is_note(node.op(), attribute.name))
          values[attribute.name].*side = attribute_text(attribute.value);
      }
    };
    using Texts = std::pair<std::string, std::string>;
    collect(before, &Texts::first);
    collect(after, &Texts::second);
    const auto shown = [](const std::string& text) { return text.empty() ? "absent" : text; };
    for (const auto& [name, texts] : values)
      compare(where, fmt::format("attribute {}", name), shown(texts.first), shown(texts.second));
  }

  /// The inputs that bodies capture are compared with the roles of their Parameters.
  void inputs(const Graphs& graphs, const std::string& where, const Node& before, const Node& after) {
    const std::size_t count_before = own_input_count(before);
    const std::size_t count_after = own_input_count(after);
    for (std::size_t i = 0; i < std::max(count_before, count_after); ++i) {
      const bool is_before = i < count_before;
      const bool is_after = i < count_after;
      if (is_before && is_after && graphs.matching.is_match(before.input(i), after.input(i))) continue;
      add(where, fmt::format("input {}", i), is_before ? value_name(before.input(i)) : "absent",
          is_after ? value_name(after.input(i)) : "absent");
    }
  }

  void outputs(const Graphs& graphs, const std::string& where, const Node& before, const Node& after) {
    if (before.outputs().size() != after.outputs().size()) {
      compare(where, "outputs", std::to_string(before.outputs().size()),
              std::to_string(after.outputs().size()));
      return;
    }
    for (std::size_t i = 0; i < before.outputs().size(); ++i) {
      const Output& output_before = before.output(i);
      const Output& output_after = after.output(i);
      compare_names(where, fmt::format("tensor names of output {}", i), names_text(output_before.names),
                    names_text(output_after.names));
      if (before.is(ops::Result)) continue;  // the type is that of the input
      if (output_before.type == output_after.type && output_before.shape == output_after.shape) continue;
      add(where, fmt::format("type of output {}", i), type_text(output_before.type, output_before.shape),
          type_text(output_after.type, output_after.shape));
      const bool is_in_body = graphs.roles.outer != nullptr;
      const bool is_declared = before.is(ops::Const) || (before.is(ops::Parameter) && !is_in_body);
      if (is_declared) continue;
      inferred_.push_back(std::move(differences_.back()));
      differences_.pop_back();
    }
  }

  /// Compares the ports of a Parameter or Result of a body.
  void roles(const Graphs& graphs, const std::string& where, const Node& before, const Node& after) {
    const auto& [ports_before, ports_after, outer] = graphs.roles;
    static const ParameterRole kNoRole{"absent", {}, nullptr};
    const auto role_of = [](const BodyPorts& ports, const Node& node) {
      const auto found = ports.parameters.find(&node);
      return found == ports.parameters.end() ? &kNoRole : &found->second;
    };
    const ParameterRole& role_before = *role_of(*ports_before, before);
    const ParameterRole& role_after = *role_of(*ports_after, after);
    compare(where, "port", role_before.kind, role_after.kind);
    if (role_before.source && role_after.source && !outer->is_match(role_before.source, role_after.source))
      add(where, "outer value", value_name(role_before.source), value_name(role_after.source));
    const Node* const result_before = role_before.back_edge;
    const Node* const result_after = role_after.back_edge;
    if (result_before != nullptr && result_after != nullptr &&
        graphs.matching.after_of(*result_before) != result_after)
      add(where, "back edge", "from " + value_name(result_before->input(0)),
          "from " + value_name(result_after->input(0)));
    const auto results_of = [](const BodyPorts& ports, const Node& node) {
      const auto found = ports.results.find(&node);
      return found == ports.results.end() ? std::string() : base::joined(found->second, "; ");
    };
    compare(where, "port", results_of(*ports_before, before), results_of(*ports_after, after));
  }

  void bodies(const Graphs& graphs, const Node& before, const Node& after) {
    const std::vector<BodyPorts> ports_before = body_ports(before);
    const std::vector<BodyPorts> ports_after = body_ports(after);
    if (ports_before.size() != ports_after.size()) return;  // the operation has changed
    const auto back_edges = [](const BodyPorts& ports) {
      BackEdges edges;
      for (const auto& [parameter, role] : ports.parameters) {
        if (role.back_edge != nullptr) edges.emplace(parameter, role.back_edge);
      }
      return edges;
    };
    for (std::size_t i = 0; i < ports_before.size(); ++i) {
      const BodyPorts& body_before = ports_before[i];
      const BodyPorts& body_after = ports_after[i];
      const Matching matching(*body_before.graph, *body_after.graph,
                              pairs_by_role(body_before, body_after, graphs.matching),
                              {back_edges(body_before), back_edges(body_after)}, options_.ignores_names);
      this->graphs({*body_before.graph,
                    *body_after.graph,
                    matching,
                    {&body_before, &body_after, &graphs.matching},
                    fmt::format("{}/{}.{}", graphs.path, before.name, body_before.name)});
    }
  }

  /// Inferred types follow from other differences, which are listed instead of them.
  std::vector<Difference> take() {
    if (differences_.empty()) return std::move(inferred_);
    if (!inferred_.empty()) {
      std::string text =
          fmt::format("as a result, the types or shapes of {} other values differ; the first is {}",
                      inferred_.size(), inferred_.front().text);
      differences_.push_back({{"model",
                               fmt::format("types or shapes of {} other values", inferred_.size()),
                               {},
                               {},
                               std::move(text)}});
    }
    return std::move(differences_);
  }

  const DiffOptions& options_;
  NodePair nodes_ = {};  ///< the nodes that are compared
  std::vector<Difference> differences_;
  std::vector<Difference> inferred_;
};

}  // namespace

std::vector<Difference> diff(const Model& before, const Model& after, const DiffOptions& options) {
  return Differ(options).run(before, after);
}

}  // namespace onnx2ir::ir
