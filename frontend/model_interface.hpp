// The inputs and outputs of a model: operands as Parameters, and as Results.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontend/graph/graph_translator.hpp"
#include "frontend/graph/operand.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/reader.hpp"
#include "ir/graph.hpp"
#include "onnx2ir/diagnostic.hpp"

namespace onnx2ir::frontend {

/// Element ranks of sequence inputs that an earlier attempt has found.
using FoundRanks = std::map<std::string, std::int64_t, std::less<>>;
/// Those that are open in this attempt.
using OpenRanks = std::vector<std::shared_ptr<OpenRank>>;

/// Creates Parameters for all inputs without a default value. (Models of IR version 3 list initializers as
/// inputs.) Reports those that OpenVINO cannot have.
void bind_inputs(const LoadedModel& model, const FoundRanks& found, OpenRanks& open,
                 GraphTranslator& translator);

/// Warns if the type or shape that the model declares for an output differs from the computed one.
void check_declared_output(const onnx::ValueInfoProto& output, const Operand& operand, DiagnosticSink& sink);

/// Creates Results for the tensors of an output, in the same form as for inputs. Reports an output whose
/// elements have no known rank.
void add_output(const onnx::ValueInfoProto& output, const Operand& operand, ir::Graph& graph,
                DiagnosticSink& sink);

}  // namespace onnx2ir::frontend
