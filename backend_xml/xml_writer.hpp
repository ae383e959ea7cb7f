// Writes a model as the XML that OpenVINO reads.
#pragma once

#include <string>
#include <string_view>

#include "backend_xml/weights_layout.hpp"
#include "backend_xml/xml_text.hpp"
#include "ir/graph.hpp"

namespace onnx2ir::backend_xml {

/// Writes `model` to `sink` in pieces of bounded size. Layer names are made unique in each graph; ids are
/// assigned in the order of the nodes. Uses Node::scratch. `digest` is that of the weights
/// (weights_digest.hpp). Returns false if the sink stopped it.
bool write_xml(const ir::Model& model, const WeightsLayout& weights, std::string_view digest,
               const TextSink& sink);

/// The same text as a whole.
std::string xml_text(const ir::Model& model, const WeightsLayout& weights, std::string_view digest);

}  // namespace onnx2ir::backend_xml
