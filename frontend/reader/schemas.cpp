#include "frontend/reader/schemas.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "frontend/reader/opset_imports.hpp"
#include "frontend/reader/schema_table.hpp"

namespace onnx2ir::frontend {
namespace {

/// The set of schemas in the library for a domain; empty if it is not a domain of ONNX.
std::string_view set_of(std::string_view domain) {
  domain = canonical_domain(domain);
  if (domain.empty()) return "Onnx";
  if (domain == "ai.onnx.ml") return "OnnxML";
  if (domain == "ai.onnx.training") return "OnnxTraining";
  if (domain == "ai.onnx.preview" || domain == "ai.onnx.preview.training") return "OnnxPreview";
  return {};
}

/// Creates schemas at their first use and keeps them for the life of the process: creating all would take
/// longer than converting a small model, and schemas are the same for all models.
class SchemaCache {
 public:
  const onnx::OpSchema& get(std::size_t index) {
    Slot& slot = slots_[index];
    std::call_once(slot.once, [&] {
      slot.schema = std::make_unique<onnx::OpSchema>(schema_table()[index].make());
      slot.schema->Finalize();
    });
    return *slot.schema;
  }

 private:
  struct Slot {
    std::once_flag once;
    std::unique_ptr<onnx::OpSchema> schema;
  };
  std::vector<Slot> slots_{schema_table().size()};
};

SchemaCache& cache() {
  static SchemaCache instance;
  return instance;
}

/// The rows of an operator, oldest first.
std::span<const SchemaRow> rows_of(std::string_view domain, std::string_view op_type) {
  const std::string_view set = set_of(domain);
  if (set.empty()) return {};
  struct Less {
    using Key = std::pair<std::string_view, std::string_view>;
    bool operator()(const SchemaRow& row, const Key& key) const { return Key(row.set, row.name) < key; }
    bool operator()(const Key& key, const SchemaRow& row) const { return key < Key(row.set, row.name); }
  };
  const auto table = schema_table();
  const auto [first, last] = std::equal_range(table.begin(), table.end(), std::pair(set, op_type), Less{});
  return {first, last};
}

}  // namespace

const onnx::OpSchema* find_schema(std::string_view domain, std::string_view op_type, std::int64_t opset) {
  const auto rows = rows_of(domain, op_type);
  const auto after =
      std::upper_bound(rows.begin(), rows.end(), opset,
                       [](std::int64_t version, const SchemaRow& row) { return version < row.since; });
  if (after == rows.begin()) return nullptr;
  const SchemaRow& row = *(after - 1);
  const onnx::OpSchema& schema = cache().get(static_cast<std::size_t>(&row - schema_table().data()));
  // One set contains two preview domains.
  return schema.domain() == canonical_domain(domain) ? &schema : nullptr;
}

std::optional<std::int64_t> newest_opset(std::string_view domain) {
  // ThreadSanitizer does not see how the ONNX library, which is built without it, initialises the map once.
  static const auto& ranges = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  const auto found = ranges.find(std::string(canonical_domain(domain)));
  if (found == ranges.end()) return std::nullopt;
  return found->second.second;
}

std::optional<std::int64_t> first_opset_with(std::string_view domain, std::string_view op_type) {
  const auto rows = rows_of(domain, op_type);
  if (rows.empty()) return std::nullopt;
  return rows.front().since;
}

}  // namespace onnx2ir::frontend
