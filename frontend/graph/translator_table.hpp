// The operator table: the ONNX operators that are converted, from which version on, and by which function.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "frontend/graph/node_context.hpp"
#include "frontend/reader/operator_index.hpp"

namespace onnx2ir::frontend {

/// Most translators return tensors; those of sequences, optionals and control flow return operands of any
/// kind.
using TensorTranslator = Values (*)(NodeContext&);
using OperandTranslator = Operands (*)(NodeContext&);

/// The rank of an operator's only output. The first inputs may be followed by others that have no effect on
/// it, such as the bounds of Clip.
enum class RankRule : std::uint8_t {
  unknown,
  keep,       ///< it has the rank of input 0
  map,        ///< the same, and each of its elements is computed from one element of input 0
  broadcast,  ///< all inputs are broadcast to it
};

/// Inputs from `begin` on and before `end`.
struct InputRange {
  int begin = 0;
  int end = 0;

  bool contains(int index) const { return index >= begin && index < end; }
};

/// A row. For an operator, the row with the highest `since` not above the imported opset is used.
struct TranslatorRow {
  std::string_view name;
  std::int64_t since;  ///< the first version of the operator that the row is for
  std::variant<TensorTranslator, OperandTranslator> translate;
  /// What is not converted, for the documentation; may be empty.
  std::string_view limits = {};
  /// For operators without a schema in the ONNX library: attributes that the translator does not read on
  /// purpose, separated by blanks. NAME=VALUE: only with this value.
  std::string_view ignored = {};
  std::string_view domain = {};  ///< empty: that of the family
  /// With exact quantisation, the operator is expanded into its function body instead.
  bool is_for_fast_quantization = false;
  /// Questions about values that are computed by later nodes: see frontend/graph/required_rank.hpp.
  RankRule ranks = RankRule::unknown;
  InputRange scalars = {};  ///< the inputs that must have one element
  InputRange lists = {};    ///< the inputs that are lists (tensors of rank 1) of sizes, positions or axes
};

/// `rows`, with `ranks` in those that state no rule.
std::vector<TranslatorRow> with_ranks(RankRule ranks, std::vector<TranslatorRow> rows);

/// Rows that belong together.
struct TranslatorFamily {
  std::vector<TranslatorRow> (*rows)();
  std::string_view domain = {};  ///< of the rows that state none
};

/// The core does not know the translators: it gets them in this table.
class TranslatorTable {
 public:
  explicit TranslatorTable(std::span<const TranslatorFamily> families);
  TranslatorTable(const TranslatorTable&) = delete;
  TranslatorTable& operator=(const TranslatorTable&) = delete;

  /// The row for an operator; null if the table has no row for it.
  const TranslatorRow* find(std::string_view domain, std::string_view name, std::int64_t opset) const {
    return index_.find(domain, name, opset);
  }
  /// All rows, sorted by domain, name and version.
  std::span<const TranslatorRow> rows() const { return rows_; }

 private:
  std::vector<TranslatorRow> rows_;
  OperatorIndex<TranslatorRow> index_;
};

}  // namespace onnx2ir::frontend
