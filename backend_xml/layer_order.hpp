// The order in which the reader creates the layers of a graph: producers before consumers.
#pragma once

#include <cstdint>
#include <map>
#include <pugixml.hpp>
#include <utility>
#include <vector>

namespace onnx2ir::backend_xml {

/// A port of a layer: the ids of both.
using PortId = std::pair<std::int64_t, std::int64_t>;
/// The output that each connected input reads.
using Edges = std::map<PortId, PortId>;

/// The <edges> of `graph`. Throws Failure (unreadable_ir).
Edges edges_of(pugi::xml_node graph);

/// The <layers> of `graph`, each one after those that it reads: in file order if that is such an order. In
/// another file, Parameters come first, because their order in the file is that of the model's inputs. Throws
/// Failure (unreadable_ir) if there is a cycle.
std::vector<pugi::xml_node> layers_in_order(pugi::xml_node graph, const Edges& edges);

}  // namespace onnx2ir::backend_xml
