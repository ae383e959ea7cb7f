#include "backend_html/page.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "backend_html/graph_json.hpp"
#include "backend_html/viewer_files.hpp"
#include "base/sha256.hpp"

namespace onnx2ir::backend_html {
namespace {

/// The digits of a SHA-256 in the form that a content security policy requires: Base64.
std::string base64(std::string_view hexadecimal) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr std::size_t kDigitsPerGroup = 6;  // 24 bits: four digits in Base64
  std::string text;
  for (std::size_t at = 0; at < hexadecimal.size(); at += kDigitsPerGroup) {
    const std::string_view digits = hexadecimal.substr(at, kDigitsPerGroup);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kDigitsPerGroup; ++i) {
      const char digit = i < digits.size() ? digits[i] : '0';
      bits = bits << 4U | static_cast<std::uint32_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    }
    const std::size_t letters = (digits.size() / 2 * 8 + 5) / 6;
    for (std::size_t i = 0; i < 4; ++i) text += i < letters ? kDigits[bits >> (18 - 6 * i) & 63U] : '=';
  }
  return text;
}

/// The source of an inline script or style in a content security policy.
std::string policy_source(std::string_view text) {
  base::Sha256 hash;
  hash.add(std::as_bytes(std::span(text)));
  return "'sha256-" + base64(hash.digits()) + "'";
}

/// Replaces "@NAME@" in the frame of the page, once each, in the order of the list.
std::string filled(std::string_view frame,
                   std::span<const std::pair<std::string_view, std::string_view>> values) {
  std::string text;
  for (const auto& [name, value] : values) {
    const std::size_t at = frame.find(name);
    text += frame.substr(0, at);
    text += value;
    frame.remove_prefix(at + name.size());
  }
  return text.append(frame);
}

std::string page_with(std::string_view json) {
  std::string script;
  for (const std::string_view part : kViewerScripts) script += part;
  const std::string script_source = policy_source(script);
  const std::string style_source = policy_source(kViewerStyle);
  return filled(kViewerPage, std::array<std::pair<std::string_view, std::string_view>, 5>{
                                 {{"@SCRIPT_SOURCE@", script_source},
                                  {"@STYLE_SOURCE@", style_source},
                                  {"@STYLE@", kViewerStyle},
                                  {"@MODEL@", json},
                                  {"@SCRIPT@", script}}});
}

}  // namespace

std::string page(const ir::Model& model, const ir::Origins& origins, const Json& statistics) {
  return page_with(graph_json(model, origins, statistics));
}

std::string comparison_page(const Compared& before, const Compared& after,
                            const std::vector<ir::Difference>& differences) {
  return page_with(comparison_json(before, after, differences));
}

}  // namespace onnx2ir::backend_html
