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
    domain = canonical_domain(domain);
    const bool is_new = versions_.emplace(domain, version).second;
    if (is_new && domain.empty()) onnx_version_ = version;
    return is_new;
  }
  /// Sets the version of `domain`, replacing an existing one.
  void set(std::string_view domain, std::int64_t version) {
    domain = canonical_domain(domain);
    versions_.insert_or_assign(std::string(domain), version);
    if (domain.empty()) onnx_version_ = version;
  }
  /// The version of `domain`; no value if it is not imported.
  std::optional<std::int64_t> find(std::string_view domain) const {
    domain = canonical_domain(domain);
    if (domain.empty()) return onnx_version_;
    auto found = versions_.find(domain);
    if (found == versions_.end()) return std::nullopt;
    return found->second;
  }
  const std::map<std::string, std::int64_t, std::less<>>& all() const { return versions_; }

 private:
  std::map<std::string, std::int64_t, std::less<>> versions_;
  std::optional<std::int64_t> onnx_version_;  ///< of "", the domain of nearly all nodes
};

}  // namespace onnx2ir::frontend
