// What a model declares of the tensors of its graphs, and where it uses them.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "frontend/graph/graph_translator.hpp"
#include "frontend/graph/required_rank.hpp"
#include "frontend/reader/onnx_proto.hpp"

namespace onnx2ir::frontend {

namespace {

/// No value if `type` is null, or has no rank.
std::optional<std::int64_t> rank_of(const onnx::TypeProto* type) {
  if (type == nullptr || !type->tensor_type().has_shape()) return std::nullopt;
  return type->tensor_type().shape().dim_size();
}

}  // namespace

std::optional<std::int64_t> GraphTranslator::declared_rank(std::string_view name) const {
  if (proto_ == nullptr) return std::nullopt;
  std::vector<std::string> passed;
  std::optional<std::int64_t> rank;
  for (std::string last(name);;) {
    // A name that is passed again, on a cycle, has no rank yet.
    const auto [known, is_new] = declared_ranks_.try_emplace(last);
    rank = is_new ? rank_of(declared_type(last)) : known->second;
    passed.push_back(last);
    if (rank || !is_new) break;
    const auto uses = names().uses(last);
    const auto next = std::ranges::find_if(uses, [&](const NameIndex::Use& use) {
      if (use.node == nullptr || use.input != 0 || use.node->output_size() != 1) return false;
      const TranslatorRow* const row = row_of(*use.node);
      return row != nullptr && (row->ranks == RankRule::keep || row->ranks == RankRule::map);
    });
    if (next == uses.end()) break;
    last = next->node->output(0);
  }
  for (const std::string& each : passed) declared_ranks_[each] = rank;
  return rank;
}

const onnx::TypeProto* GraphTranslator::declared_type(const std::string& name) const {
  if (!declared_types_) {
    declared_types_.emplace();
    const auto add = [&](const auto& declarations) {
      for (const onnx::ValueInfoProto& declaration : declarations) {
        if (declaration.has_type()) declared_types_->emplace(declaration.name(), &declaration.type());
      }
    };
    if (proto_ != nullptr) {
      add(proto_->output());
      add(proto_->value_info());
    } else if (function_ != nullptr) {
      add(function_->value_info());
      for (int i = 0; i < std::min(function_->output_size(), call_->output_size()); ++i) {
        const onnx::TypeProto* const type = parent_->declared_type(call_->output(i));
        if (type != nullptr) declared_types_->emplace(function_->output(i), type);
      }
    }
  }
  const auto found = declared_types_->find(name);
  return found == declared_types_->end() ? nullptr : found->second;
}

void GraphTranslator::note_wrong_rank(std::string_view name, const Operand& operand) const {
  if (proto_ == nullptr) return;  // inputs are bound before the graph is known
  const ir::Value value = as_tensor(operand);
  if (!value || !value.shape().has_rank()) return;
  const auto declared = rank_of(declared_type(std::string(name)));
  if (declared && std::cmp_not_equal(*declared, value.shape().rank()))
    attempt_->found.wrong_ranks.emplace(occurrence_, name);
}

const NameIndex& GraphTranslator::names() const {
  if (!name_index_) name_index_.emplace(*proto_);
  return *name_index_;
}

const std::unordered_set<std::string_view>& GraphTranslator::values_not_required_scalar() const {
  if (!values_not_required_scalar_) values_not_required_scalar_ = find_values_not_required_scalar(*this);
  return *values_not_required_scalar_;
}

bool GraphTranslator::is_output(std::string_view name) const {
  if (proto_ == nullptr) return false;
  return std::ranges::any_of(names().uses(name),
                             [](const NameIndex::Use& use) { return use.node == nullptr; });
}

}  // namespace onnx2ir::frontend
