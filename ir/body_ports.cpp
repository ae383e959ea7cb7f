#include "ir/body_ports.hpp"

namespace onnx2ir::ir {
namespace {

using Kind = Port::Kind;

void add_captured(std::vector<Port>& ports, const Body& body) {
  for (const Invariant& one : body.invariants)
    ports.push_back({.kind = Kind::captured, .input = one.input, .parameter = one.parameter});
}

}  // namespace

std::vector<Port> ports_of(const LoopBody& loop) {
  std::vector<Port> ports;
  for (const Carried& one : loop.carried)
    ports.push_back({Kind::state, one.input, one.parameter, one.result, one.output, nullptr,
                     one.output && one.is_guarded});
  for (const Sliced& one : loop.sliced)
    ports.push_back({.kind = Kind::slice, .input = one.input, .parameter = one.parameter, .slices = &one});
  add_captured(ports, loop);
  if (loop.iteration != nullptr) ports.push_back({.kind = Kind::iteration, .parameter = loop.iteration});
  for (const Scan& one : loop.scans)
    ports.push_back({Kind::scan, {}, nullptr, one.result, one.output, &one, one.is_guarded});
  for (const LastValue& one : loop.last_values)
    ports.push_back({.kind = Kind::result, .result = one.result, .output = one.output});
  if (loop.condition != nullptr) ports.push_back({.kind = Kind::condition, .result = loop.condition});
  return ports;
}

std::vector<Port> ports_of(const Branch& branch) {
  std::vector<Port> ports;
  add_captured(ports, branch);
  for (std::uint32_t i = 0; i < branch.results.size(); ++i)
    ports.push_back({.kind = Kind::result, .result = branch.results[i], .output = i});
  return ports;
}

std::vector<ConnectedBody> connected_bodies(const Node& node) {
  std::vector<ConnectedBody> bodies;
  const auto add = [&](std::string_view name, const auto& body) {
    bodies.push_back({name, body.graph.get(), ports_of(body)});
  };
  if (const LoopBody* const loop = node.loop()) add("body", *loop);
  if (const IfBranches* const branches = node.branches()) {
    add("then", branches->then_branch);
    add("else", branches->else_branch);
  }
  return bodies;
}

}  // namespace onnx2ir::ir
