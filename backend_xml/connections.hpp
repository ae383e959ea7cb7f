// How the reader connects layers: edges and ports, and those of the bodies of Loop and If.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <pugixml.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/builder.hpp"
#include "ir/graph.hpp"

namespace onnx2ir::backend_xml {

using LayerId = std::int64_t;
/// A port of a layer: the ids of both.
using PortId = std::pair<LayerId, std::int64_t>;
/// The output that each connected input reads.
using Edges = std::map<PortId, PortId>;

/// The <edges> of `graph`. Throws Failure (unreadable_ir).
Edges edges_of(pugi::xml_node graph);

/// The <layers> of `graph`, each one after those that it reads: in file order if that is such an order. In
/// another file, Parameters come first, because their order in the file is that of the model's inputs. Throws
/// Failure (unreadable_ir) if there is a cycle.
std::vector<pugi::xml_node> layers_in_order(pugi::xml_node graph, const Edges& edges);

/// The nodes of the layers of a graph.
using Layers = std::unordered_map<LayerId, ir::Node*>;
using Ports = std::vector<pugi::xml_node>;

/// The ports of "input" or "output".
Ports ports_of(pugi::xml_node layer, const char* side);

/// Finds ports by their ids. A layer may have thousands.
class PortIndices {
 public:
  explicit PortIndices(const Ports& ports);
  /// The position of the first port with this id. Throws Failure (unreadable_ir) if no port has it.
  std::uint32_t at(LayerId id) const;

 private:
  std::vector<std::pair<LayerId, std::uint32_t>> indices_;  ///< by ids
};

/// The body of a Loop, or of a TensorIterator, which has no condition. `first_input`: the inputs of the node
/// before those of the layer.
ir::LoopBody connected_loop(pugi::xml_node layer, std::unique_ptr<ir::Graph> graph, const Layers& layers,
                            std::uint32_t first_input);

/// The trip count of a TensorIterator, which is read as a Loop: the number of iterations that the slices of
/// the inputs give, as OpenVINO computes it. `inputs` are those of the TensorIterator; the ports of `body`
/// count from those of the Loop. Throws Failure (unreadable_ir).
ir::Value iterator_trip_count(ir::Builder& builder, const ir::LoopBody& body,
                              const std::vector<ir::Value>& inputs);

/// A branch of an If with `outputs` outputs. `map`: how the branch is connected.
ir::Branch connected_branch(pugi::xml_node layer, pugi::xml_node map, std::unique_ptr<ir::Graph> graph,
                            const Layers& layers, std::size_t outputs);

/// Gives each port a Result of its own, as passes expect, and removes the other Results. In the IR of
/// OpenVINO, ports can share one, and some Results belong to no port.
void separate_results(ir::LoopBody& body);
void separate_results(ir::Branch& branch);

}  // namespace onnx2ir::backend_xml
