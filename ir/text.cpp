#include "ir/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <unordered_map>

#include "ir/op_descriptor.hpp"

namespace onnx2ir::ir {
namespace {

constexpr std::size_t kMostPrintedElements = 8;

class Printer {
 public:
  std::string print(const Model& model) {
    line("model \"{}\"", model.name);
    for (const auto& [name, value] : model.runtime_options) line("runtime option {} = {}", name, value);
    print_graph(model.graph);
    return std::move(text_);
  }

 private:
  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_.append(2 * depth_, ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_.push_back('\n');
  }

  std::string id(const Node* node) {
    return fmt::format("%{}", numbers_.try_emplace(node, numbers_.size()).first->second);
  }
  std::string id(Value value) {
    return value.index == 0 ? id(value.node) : fmt::format("{}.{}", id(value.node), value.index);
  }
  std::string output(const Node& node, std::uint32_t index) {
    return id({const_cast<Node*>(&node), index});  // NOLINT: only its address is used
  }

  void print_graph(const Graph& graph) {
    ++depth_;
    for (const auto& node : graph.nodes()) print_node(*node);
    --depth_;
  }

  void print_node(Node& node) {
    std::vector<std::string> inputs;
    for (const Value input : node.inputs()) inputs.push_back(id(input));
    std::vector<std::string> attributes;
    for (const Attribute& attribute : node.attributes()) {
      attributes.push_back(fmt::format("{}={}", attribute.name, to_string(attribute.value)));
    }
    std::vector<std::string> types;
    std::vector<std::string> names;
    for (const Output& output : node.outputs()) {
      types.push_back(fmt::format("{}{}", info(output.type).name, to_string(output.shape)));
      for (const std::string& name : output.names) names.push_back(fmt::format(" \"{}\"", name));
    }
    std::string rest = id(&node) + " = " + std::string(node.op().name);
    if (!inputs.empty()) rest += fmt::format("({})", fmt::join(inputs, ", "));
    if (!attributes.empty()) rest += fmt::format(" {{{}}}", fmt::join(attributes, ", "));
    if (!types.empty()) rest += fmt::format(" : {}", fmt::join(types, ", "));
    line("{}{}{}", rest, elements(node), fmt::join(names, ","));
    if (node.loop() != nullptr) print_loop(node, *node.loop());
    if (node.branches() != nullptr) print_branches(node, *node.branches());
  }

  static std::string elements(Node& node) {
    if (node.constant() == nullptr) return {};
    const auto values = exact_values(node.value());
    if (!values || values->size() > kMostPrintedElements) return {};
    return fmt::format(" = {}", fmt::join(*values, ","));
  }

  void print_invariants(const Node& node, const std::vector<Invariant>& invariants) {
    for (const Invariant& invariant : invariants) {
      line("invariant {} is {}", id(invariant.parameter), id(node.input(invariant.input)));
    }
  }

  void print_loop(const Node& node, const LoopBody& body) {
    ++depth_;
    line("body");
    print_graph(*body.graph);
    if (body.iteration != nullptr) line("iteration number {}", id(body.iteration));
    if (body.condition != nullptr) line("goes on while {}", id(body.condition));
    for (const Carried& carried : body.carried) {
      line("carried {} starts as {}, becomes {}{}", id(carried.parameter), id(node.input(carried.input)),
           id(carried.result), carried.output ? ", ends as " + output(node, *carried.output) : "");
    }
    print_invariants(node, body.invariants);
    for (const Sliced& sliced : body.sliced) {
      line("sliced {} from {} axis={} start={} end={} stride={} part_size={}", id(sliced.parameter),
           id(node.input(sliced.input)), sliced.axis, sliced.start, sliced.end, sliced.stride,
           sliced.part_size);
    }
    for (const Scan& scan : body.scans) {
      line("scan {} into {} axis={} start={} end={} stride={} part_size={}", id(scan.result),
           output(node, scan.output), scan.axis, scan.start, scan.end, scan.stride, scan.part_size);
    }
    for (const LastValue& last : body.last_values) {
      line("last value of {} is {}", id(last.result), output(node, last.output));
    }
    --depth_;
  }

  void print_branches(const Node& node, const IfBranches& branches) {
    print_branch(node, "then", branches.then_branch);
    print_branch(node, "else", branches.else_branch);
  }

  void print_branch(const Node& node, std::string_view name, const Branch& branch) {
    ++depth_;
    line("{}", name);
    print_graph(*branch.graph);
    print_invariants(node, branch.invariants);
    for (std::uint32_t i = 0; i < branch.results.size(); ++i) {
      line("{} is {}", output(node, i), id(branch.results[i]));
    }
    --depth_;
  }

  std::string text_;
  std::size_t depth_ = 0;
  std::unordered_map<const Node*, std::size_t> numbers_;
};

}  // namespace

std::string text(const Model& model) {
  return Printer().print(model);
}

}  // namespace onnx2ir::ir
