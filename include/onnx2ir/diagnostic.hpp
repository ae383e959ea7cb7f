// Diagnostics of a conversion: errors, warnings and remarks, each with a place in the model. Used by all
// layers; needs only the standard library.
#pragma once

#include <cstdint>
#include <memory>
#include <onnx2ir/diagnostic_code.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace onnx2ir {

/// A remark is a fact about the model. A warning means that results may differ from what is expected. After
/// an error, there is no converted model.
enum class Severity : std::uint8_t { remark, warning, error };

/// A place in a model. All fields are optional: for example, an unreadable file has no nodes.
struct Place {
  std::string graph;                 ///< graph path: "main", "main/loop_3.body"
  std::int64_t node_index = -1;      ///< index of the node in its graph, in file order; -1: not about a node
  std::string node_name;             ///< the node's name, often empty
  std::string domain;                ///< operator domain, "" for ai.onnx
  std::string op_type;               ///< operator, "Loop"
  std::int64_t opset = -1;           ///< the imported version of that domain
  std::vector<std::string> outputs;  ///< names of the node's outputs
  std::vector<std::string> function_stack;  ///< inlined functions around the node, outermost first

  friend bool operator==(const Place&, const Place&) = default;
};

/// An error, a warning or a remark.
struct Diagnostic {
  Severity severity = Severity::error;
  DiagnosticCode code = DiagnosticCode::internal_error;
  std::string message;  ///< one sentence, no trailing full stop
  Place place;
  std::vector<std::string> notes;  ///< facts that explain it
  std::string hint;                ///< what the user can do, or empty
  int system_error = 0;            ///< errno of the system call that failed; 0: it is about something else

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

/// Collects the diagnostics of one conversion in the order in which they are reported. Not thread-safe.
class DiagnosticSink {
 public:
  /// Appends a diagnostic.
  void report(Diagnostic diagnostic) {
    if (diagnostic.severity == Severity::error) ++error_count_;
    diagnostics_.push_back(std::move(diagnostic));
  }
  /// Appends an error or a warning without notes and hint.
  void error(DiagnosticCode code, std::string message, Place place = {}) {
    report({Severity::error, code, std::move(message), std::move(place), {}, {}});
  }
  void warning(DiagnosticCode code, std::string message, Place place = {}) {
    report({Severity::warning, code, std::move(message), std::move(place), {}, {}});
  }

  bool has_errors() const { return error_count_ != 0; }
  std::size_t error_count() const { return error_count_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  /// The current position, for rewind() if an attempt fails and another one is made.
  std::size_t mark() const { return diagnostics_.size(); }
  /// Removes what was reported since `mark`.
  void rewind(std::size_t mark) {
    while (diagnostics_.size() > mark) {
      if (diagnostics_.back().severity == Severity::error) --error_count_;
      diagnostics_.pop_back();
    }
  }
  /// Returns all diagnostics and empties the sink.
  std::vector<Diagnostic> take() {
    error_count_ = 0;
    return std::exchange(diagnostics_, {});
  }

 private:
  std::vector<Diagnostic> diagnostics_;
  std::size_t error_count_ = 0;
};

}  // namespace onnx2ir
