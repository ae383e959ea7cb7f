#include "api/provenance.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "onnx2ir/onnx2ir.hpp"

namespace onnx2ir {
namespace {

// The names of the facts that list releases.
constexpr const char* kConvertedFor = "target_runtime";
constexpr const char* kLegalizedFor = "legalized_for";

/// The parts of "A,B,C".
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream list(text);
  for (std::string part; std::getline(list, part, ',');) parts.push_back(part);
  return parts;
}

}  // namespace

Provenance provenance(const Options& options, const target::Target& target) {
  Provenance facts{{"version", std::string(version())}, {"framework", "onnx"}};
  facts.emplace_back(kConvertedFor, to_string(target.releases()));
  std::ranges::move(option_facts(options), std::back_inserter(facts));
  return facts;
}

void record_legalization(Provenance& facts, const target::Target& target) {
  const std::string releases = to_string(target.releases());
  const auto known = std::ranges::find(facts, kLegalizedFor, &Provenance::value_type::first);
  if (known == facts.end()) {
    facts.emplace_back(kLegalizedFor, releases);
  } else if (const auto parts = parts_of(known->second); std::ranges::find(parts, releases) == parts.end()) {
    known->second += ',' + releases;
  }
}

std::vector<target::Target> recorded_targets(const Provenance& facts) {
  std::vector<target::Target> targets;
  for (const auto& [name, value] : facts) {
    if (name != kConvertedFor && name != kLegalizedFor) continue;
    for (const std::string& part : parts_of(value)) {
      const auto releases = target::parse_release_range(part);
      targets.push_back(releases ? target::Target(*releases) : target::Target());
    }
  }
  return targets;
}

}  // namespace onnx2ir
