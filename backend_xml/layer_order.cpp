#include "backend_xml/layer_order.hpp"

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "backend_xml/xml_values.hpp"

namespace onnx2ir::backend_xml {
namespace {

class Sorter {
 public:
  Sorter(pugi::xml_node graph, const Edges& edges) {
    std::unordered_map<std::int64_t, std::size_t> indices;
    for (const pugi::xml_node layer : graph.child("layers").children("layer")) {
      indices.emplace(required_id(layer, "id"), layers_.size());
      layers_.push_back(layer);
    }
    sources_.resize(layers_.size());
    for (const auto& [to, from] : edges) {
      const auto reader = indices.find(to.first);
      const auto source = indices.find(from.first);
      if (reader == indices.end() || source == indices.end()) continue;
      sources_[reader->second].push_back(source->second);
      is_sorted_ = is_sorted_ && source->second < reader->second;
    }
  }

  std::vector<pugi::xml_node> take() {
    if (is_sorted_) return std::move(layers_);
    states_.resize(layers_.size());
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (std::string_view(layers_[i].attribute("type").value()) == "Parameter") visit(i);
    }
    for (std::size_t i = 0; i < layers_.size(); ++i) visit(i);
    return std::move(order_);
  }

 private:
  enum class State : std::uint8_t { unseen, open, done };

  /// Appends a layer after the layers that it reads. Iterative: a chain of layers can be long.
  void visit(std::size_t first) {
    std::vector<std::size_t> stack{first};
    while (!stack.empty()) {
      const std::size_t layer = stack.back();
      if (states_[layer] == State::done) {
        stack.pop_back();
        continue;
      }
      const bool is_first_visit = states_[layer] == State::unseen;
      states_[layer] = State::open;
      if (is_first_visit) {
        for (const std::size_t source : sources_[layer]) {
          if (states_[source] == State::open) refuse("the layers are connected in a cycle");
          if (states_[source] == State::unseen) stack.push_back(source);
        }
        continue;
      }
      states_[layer] = State::done;
      order_.push_back(layers_[layer]);
      stack.pop_back();
    }
  }

  std::vector<pugi::xml_node> layers_;
  std::vector<std::vector<std::size_t>> sources_;
  bool is_sorted_ = true;
  std::vector<State> states_;
  std::vector<pugi::xml_node> order_;
};

}  // namespace

Edges edges_of(pugi::xml_node graph) {
  Edges edges;
  for (const pugi::xml_node edge : graph.child("edges").children("edge")) {
    edges[{required_id(edge, "to-layer"), required_id(edge, "to-port")}] = {required_id(edge, "from-layer"),
                                                                            required_id(edge, "from-port")};
  }
  return edges;
}

std::vector<pugi::xml_node> layers_in_order(pugi::xml_node graph, const Edges& edges) {
  return Sorter(graph, edges).take();
}

}  // namespace onnx2ir::backend_xml
