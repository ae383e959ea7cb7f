// Facts that a translation finds too late: the model is translated again from its start, with them. Not
// errors.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <variant>

namespace onnx2ir::frontend {

/// The rank of the elements of a sequence, which its model input `input` leaves open.
struct LearnedRank {
  std::string input;
  std::int64_t rank;
};

/// An If whose branches differ in rank, so that one of them must be chosen.
struct OpenIf {
  std::string unique_path;    ///< GraphTranslator::unique_path()
  std::string executed_path;  ///< GraphTranslator::executed_path()
  bool prefers_then;          ///< the branch with the declared rank, otherwise the one with the smaller rank
};

/// Thrown by translators, and caught by the entry of the front end alone.
class Restart : public std::exception {
 public:
  explicit Restart(std::variant<LearnedRank, OpenIf> found) : fact(std::move(found)) {}
  const char* what() const noexcept override { return "the model must be translated again"; }

  std::variant<LearnedRank, OpenIf> fact;
};

}  // namespace onnx2ir::frontend
