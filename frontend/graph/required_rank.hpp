// The rank that later nodes require of a value, and whether they ignore leading dimensions of size 1. These
// nodes are not in the IR yet: the answers come from columns of the operator table, and from declared types.
//
// ignores_leading_units() also needs the ranks of the other operands of these nodes. This is no second
// inference of types: it follows operands only through operators whose row has a RankRule, to values that are
// translated, declared or constant, and the answer is no if there is any other operator.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include "frontend/graph/graph_translator.hpp"

namespace onnx2ir::frontend {

/// Whether all readers of `name`, a value of the graph that `scope` translates, require one element: it is
/// the condition of an If or a Loop, a trip count, or an operand of an elementwise operator whose result is.
bool must_be_scalar(const GraphTranslator& scope, const std::string& name);

/// The results of nodes of the graph for which must_be_scalar() is false. All at once, because chains of
/// elementwise operators have common ends: the time of one walk for each value would be quadratic.
std::unordered_set<std::string_view> find_values_not_required_scalar(const GraphTranslator& scope);

/// Whether a reader of `name` requires a list (a tensor of rank 1), as Reshape does for its shape.
bool must_be_list(const GraphTranslator& scope, const std::string& name);

/// Whether all uses of `name`, a value of `rank` dimensions, have the same result if `units` leading
/// dimensions of size 1 are removed: broadcasting adds them again, or a Reshape ignores them. False if there
/// are too many uses to tell.
bool ignores_leading_units(GraphTranslator& scope, const std::string& name, std::int64_t rank,
                           std::int64_t units);

}  // namespace onnx2ir::frontend
