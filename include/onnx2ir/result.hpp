// The result of a function that an input can make fail.
#pragma once

#include <concepts>
#include <cstddef>
#include <onnx2ir/diagnostic_code.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace onnx2ir {

/// A position in a text, counted from 1; 0: not known.
struct TextPosition {
  std::size_t line = 0;
  std::size_t column = 0;  ///< in bytes

  friend bool operator==(const TextPosition&, const TextPosition&) = default;
};

/// Why an input cannot be used. Callers decide by the code; the message is for users only.
struct Problem {
  DiagnosticCode code = DiagnosticCode::internal_error;
  std::string message;    ///< a sentence, or the part of one that the function's documentation names
  std::string hint = {};  ///< what the user can do, or empty
  TextPosition position = {};
  int system_error = 0;  ///< see Diagnostic

  friend bool operator==(const Problem&, const Problem&) = default;
};

/// A value, or the problem that there is instead. A subset of std::expected<T, Problem> of C++23.
template <typename T>
class [[nodiscard]] Result {
 public:
  template <typename U = T>
  requires(std::constructible_from<T, U> && !std::same_as<std::remove_cvref_t<U>, Result> &&
           !std::same_as<std::remove_cvref_t<U>, Problem>)
      Result(U&& value)  // NOLINT(google-explicit-constructor, bugprone-forwarding-reference-overload)
      : content_(std::in_place_index<0>, std::forward<U>(value)) {}
  Result(Problem problem)  // NOLINT(google-explicit-constructor)
      : content_(std::in_place_index<1>, std::move(problem)) {}

  bool has_value() const { return content_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  /// The value. Throws std::bad_variant_access if there is a problem instead.
  T& operator*() & { return std::get<0>(content_); }
  const T& operator*() const& { return std::get<0>(content_); }
  T&& operator*() && { return std::get<0>(std::move(content_)); }
  T* operator->() { return &std::get<0>(content_); }
  const T* operator->() const { return &std::get<0>(content_); }

  /// The problem. Throws std::bad_variant_access if there is a value instead.
  Problem& error() & { return std::get<1>(content_); }
  const Problem& error() const& { return std::get<1>(content_); }
  Problem&& error() && { return std::get<1>(std::move(content_)); }

 private:
  std::variant<T, Problem> content_;
};

}  // namespace onnx2ir
