#include "frontend/graph/node_order.hpp"

#include <cstddef>
#include <functional>
#include <numeric>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/reader/bodies.hpp"
#include "frontend/reader/onnx_proto.hpp"

namespace onnx2ir::frontend {

NodeOrder file_order(const NodeList& nodes) {
  NodeOrder result;
  result.order.resize(static_cast<std::size_t>(nodes.size()));
  std::iota(result.order.begin(), result.order.end(), 0);
  return result;
}

/// Kahn's algorithm; among nodes that are ready, the first in the file comes first.
NodeOrder order_nodes(const NodeList& nodes) {
  const auto count = static_cast<std::size_t>(nodes.size());
  std::unordered_map<std::string_view, int> producers;
  producers.reserve(count * 2);
  for (int i = 0; i < nodes.size(); ++i) {
    for (const std::string& output : nodes[i].output()) {
      if (!output.empty()) producers.emplace(output, i);
    }
  }
  std::vector<std::vector<int>> consumers(count);
  std::vector<int> waiting_for(count, 0);
  for (int i = 0; i < nodes.size(); ++i) {
    for_each_used_name(nodes[i], [&](std::string_view name) {
      const auto producer = producers.find(name);
      if (producer == producers.end()) return;
      consumers[static_cast<std::size_t>(producer->second)].push_back(i);
      ++waiting_for[static_cast<std::size_t>(i)];
    });
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < nodes.size(); ++i) {
    if (waiting_for[static_cast<std::size_t>(i)] == 0) ready.push(i);
  }
  NodeOrder result;
  while (!ready.empty()) {
    const int node = ready.top();
    ready.pop();
    result.order.push_back(node);
    for (const int consumer : consumers[static_cast<std::size_t>(node)]) {
      if (--waiting_for[static_cast<std::size_t>(consumer)] == 0) ready.push(consumer);
    }
  }
  for (int i = 0; i < nodes.size(); ++i) {
    if (waiting_for[static_cast<std::size_t>(i)] > 0) result.on_cycle.push_back(i);
  }
  return result;
}

}  // namespace onnx2ir::frontend
