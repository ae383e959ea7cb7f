// The version of each operator domain that a model or a function imports.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace onnx2ir::frontend {

/// The canonical name of a domain: ONNX's own domain is "", also if a model has "ai.onnx".
inline std::string_view canonical_domain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view{} : domain;
}

/// The name of a domain in messages.
inline std::string_view shown_domain(std::string_view domain) {
  return domain.empty() ? "ai.onnx" : domain;
}

/// Domain to imported version.
class OpsetImports {
 public:
  /// Sets the version of `domain`. Returns false, without a change, if it has one already.
  bool add(std::string_view domain, std::int64_t version) {
    return versions_.emplace(canonical_domain(domain), version).second;
  }
  /// Sets the version of `domain`, replacing an existing one.
  void set(std::string_view domain, std::int64_t version) {
    versions_.insert_or_assign(std::string(canonical_domain(domain)), version);
  }
  /// The version of `domain`; no value if it is not imported.
  std::optional<std::int64_t> find(std::string_view domain) const {
    const auto found = versions_.find(canonical_domain(domain));
    return found == versions_.end() ? std::nullopt : std::optional(found->second);
  }
  const std::map<std::string, std::int64_t, std::less<>>& all() const { return versions_; }

 private:
  std::map<std::string, std::int64_t, std::less<>> versions_;
};

}  // namespace onnx2ir::frontend
