#include "frontend/graph/required_rank.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "frontend/reader/bodies.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/tensor_data.hpp"
#include "ir/known_values.hpp"

namespace onnx2ir::frontend {
namespace {

using onnx::NodeProto;
using Use = NameIndex::Use;

/// The answer of a use to a question about the value.
enum class Answer : std::uint8_t {
  yes,
  no,
  ask_output  ///< that of the uses of the node's only output
};

/// Whether the input `use` is of a node that computes its only output by `row` without changing the order of
/// elements: alone, or with others that are broadcast.
bool is_elementwise(const TranslatorRow& row, const Use& use) {
  if (use.node->output_size() != 1) return false;
  return row.ranks == RankRule::broadcast || (row.ranks == RankRule::map && use.input == 0);
}

/// Whether the graph of `scope` is the body of a Loop.
bool is_loop_body(const GraphTranslator& scope) {
  return scope.owner() != nullptr && scope.parent()->is_onnx(*scope.owner(), "Loop");
}

/// The answer of `use` to the question whether the value must have one element.
Answer scalar_answer(const GraphTranslator& scope, const Use& use) {
  // Output 0 of the body of a Loop is its condition.
  if (use.node == nullptr) return use.input == 0 && is_loop_body(scope) ? Answer::yes : Answer::no;
  const TranslatorRow* const row = scope.row_of(*use.node);
  if (row == nullptr || use.input == NameIndex::kInBody) return Answer::no;
  if (row->scalars.contains(use.input)) return Answer::yes;
  // Its operands have one element each if the result has.
  return is_elementwise(*row, use) ? Answer::ask_output : Answer::no;
}

/// Looks for uses whose result depends on leading dimensions of size 1 of a value of `rank` dimensions.
class LeadingUnits {
 public:
  LeadingUnits(GraphTranslator& scope, std::int64_t rank, std::int64_t units)
      : scope_(scope), rank_(rank), units_(units) {}

  bool are_ignored(std::string_view name) {
    std::vector<std::string_view> open{name};
    std::unordered_set<std::string_view> seen{name};
    while (!open.empty()) {
      const auto uses = scope_.names().uses(open.back());
      open.pop_back();
      for (const Use& use : uses) {
        const Answer answer = take_step() ? answer_of(use) : Answer::no;
        if (answer == Answer::no) return false;
        if (answer == Answer::yes) continue;
        const std::string& result = use.node->output(0);
        if (seen.insert(result).second) open.emplace_back(result);
      }
    }
    return true;
  }

 private:
  /// Counts a use or a rank that is looked at; false if there were too many, and the answer is no: the time
  /// of questions about many values with common readers would be quadratic.
  bool take_step() {
    constexpr int kMostSteps = 1000;
    return ++steps_ <= kMostSteps;
  }

  /// Null if it is not translated yet.
  ir::Value translated(const std::string& name) { return as_tensor(scope_.find(name).operand); }

  /// The rank of `name`, which may be computed by a later node. A rank that is not known, for example because
  /// the recursion is too deep, makes the whole answer no, so that it can be kept.
  std::optional<std::int64_t> rank_of(const std::string& name, int depth) {
    if (!take_step()) return std::nullopt;
    const auto [place, is_new] = ranks_.try_emplace(name);
    auto& known = place->second;  // remains valid when the recursion inserts others; the iterator does not
    if (is_new) known = computed_rank(name, depth);
    return known;
  }

  std::optional<std::int64_t> computed_rank(const std::string& name, int depth) {
    constexpr int kDeepest = 64;
    if (const ir::Value value = translated(name)) {
      if (!value.shape().has_rank()) return std::nullopt;
      return static_cast<std::int64_t>(value.shape().rank());
    }
    if (const auto declared = scope_.declared_rank(name)) return declared;
    const NodeProto* const node = scope_.names().producer(name);
    const TranslatorRow* const row = node == nullptr ? nullptr : scope_.row_of(*node);
    if (row == nullptr || depth > kDeepest) return std::nullopt;
    if (row->domain.empty() && row->name == "Constant") return constant_rank(*node);
    if (row->ranks == RankRule::unknown || node->input_size() == 0) return std::nullopt;
    return row->ranks == RankRule::broadcast ? highest_rank(*node, name, depth + 1)
                                             : rank_of(node->input(0), depth + 1);
  }

  static std::optional<std::int64_t> constant_rank(const NodeProto& node) {
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_t()) return attribute.t().dims_size();
      if (attribute.name() == "value_ints" || attribute.name() == "value_floats") return 1;
      if (attribute.name() == "value_int" || attribute.name() == "value_float") return 0;
    }
    return std::nullopt;
  }

  /// The highest rank among the inputs other than `excluded`; no value if one is not known.
  std::optional<std::int64_t> highest_rank(const NodeProto& node, std::string_view excluded, int depth) {
    std::int64_t highest = 0;
    for (const std::string& input : node.input()) {
      if (input == excluded) continue;
      const auto rank = rank_of(input, depth);
      if (!rank) return std::nullopt;
      highest = std::max(highest, *rank);
    }
    return highest;
  }

  /// Whether `name`, the shape of a Reshape, is constant and copies no size of the data.
  bool copies_no_size(const std::string& name) {
    if (const ir::Value value = translated(name)) {
      const auto sizes = ir::exact_values(value);
      return sizes && std::ranges::find(*sizes, 0) == sizes->end();
    }
    const NodeProto* const node = scope_.names().producer(name);
    if (node == nullptr || !scope_.is_onnx(*node, "Constant") || node->attribute_size() != 1) return false;
    const onnx::AttributeProto& attribute = node->attribute(0);
    if (attribute.has_t()) {
      const TensorResult tensor = read_tensor(attribute.t(), scope_.attempt().input->model->weights());
      if (!tensor || tensor->type != ir::ElementType::i64) return false;
      const auto numbers = ir::decode_numbers(tensor->type, tensor->data.bytes(),
                                              tensor->data.bytes().size() / sizeof(std::int64_t));
      return numbers && std::ranges::find(*numbers, 0) == numbers->end();
    }
    const auto& sizes = attribute.ints();
    return attribute.name() == "value_ints" && std::ranges::find(sizes, 0) == sizes.end();
  }

  Answer answer_of(const Use& use) {
    if (use.node == nullptr || use.input == NameIndex::kInBody) return Answer::no;
    const NodeProto& node = *use.node;
    const TranslatorRow* const row = scope_.row_of(node);
    if (row == nullptr || !row->domain.empty() || node.output_size() != 1) return Answer::no;
    const bool is_product = node.op_type() == "MatMul";
    if (is_product || row->ranks == RankRule::broadcast) {
      // Before version 7, the attribute axis places the dimensions of the second operand.
      if (find_attribute(node, "axis") != nullptr) return Answer::no;
      constexpr std::int64_t kMatrix = 2;
      const auto others = highest_rank(node, node.input(use.input), 0);
      if (!others || (is_product && (rank_ - units_ < kMatrix || *others < kMatrix))) return Answer::no;
      if (*others >= rank_) return Answer::yes;
      return *others <= rank_ - units_ ? Answer::ask_output : Answer::no;
    }
    if (is_elementwise(*row, use)) return Answer::ask_output;
    const bool is_reshape = node.op_type() == "Reshape" && use.input == 0 && node.input_size() == 2;
    const bool is_ignored = is_reshape ? copies_no_size(node.input(1)) : node.op_type() == "Size";
    return is_ignored ? Answer::yes : Answer::no;
  }

  GraphTranslator& scope_;
  std::int64_t rank_;
  std::int64_t units_;
  int steps_ = 0;
  std::unordered_map<std::string, std::optional<std::int64_t>> ranks_;  ///< that have been asked for
};

}  // namespace

bool ignores_leading_units(GraphTranslator& scope, const std::string& name, std::int64_t rank,
                           std::int64_t units) {
  return scope.proto() != nullptr && !name.empty() && LeadingUnits(scope, rank, units).are_ignored(name);
}

bool must_be_scalar(const GraphTranslator& scope, const std::string& name) {
  if (scope.proto() == nullptr) return false;
  const auto& others = scope.values_not_required_scalar();
  const auto uses = scope.names().uses(name);
  return !uses.empty() && std::ranges::all_of(uses, [&](const Use& use) {
    const Answer answer = scalar_answer(scope, use);
    return answer == Answer::yes || (answer == Answer::ask_output && !others.contains(use.node->output(0)));
  });
}

std::unordered_set<std::string_view> find_values_not_required_scalar(const GraphTranslator& scope) {
  const NameIndex& names = scope.names();
  std::unordered_set<std::string_view> found;
  std::vector<std::string_view> open;
  const auto add = [&](std::string_view name) {
    if (found.insert(name).second) open.push_back(name);
  };
  for (const NodeProto& node : scope.proto()->node()) {
    for (const std::string& output : node.output()) {
      const auto uses = names.uses(output);
      const auto says_no = [&](const Use& use) { return scalar_answer(scope, use) == Answer::no; };
      if (uses.empty() || std::ranges::any_of(uses, says_no)) add(output);
    }
  }
  while (!open.empty()) {
    const NodeProto* const node = names.producer(open.back());
    open.pop_back();
    for (int i = 0; node != nullptr && i < node->input_size(); ++i) {
      if (scalar_answer(scope, {node, i}) == Answer::ask_output) add(node->input(i));
    }
  }
  return found;
}

bool must_be_list(const GraphTranslator& scope, const std::string& name) {
  if (scope.proto() == nullptr) return false;
  return std::ranges::any_of(scope.names().uses(name), [&](const Use& use) {
    const TranslatorRow* const row = use.node == nullptr ? nullptr : scope.row_of(*use.node);
    return row != nullptr && row->lists.contains(use.input);
  });
}

}  // namespace onnx2ir::frontend
