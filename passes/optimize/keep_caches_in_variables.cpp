// With --stateful: turns the caches of a language model (inputs `past*` that are returned as outputs
// `present*`) into variables, in the form that OpenVINO GenAI and the fusions of the CPU plugin recognise:
//
//     ReadValue(zeros [batch, heads, 0, size]) -> Gather(., beam_idx) -> uses of `past*`
//     value of `present*` -> Assign
//
// beam_idx gives, for each row of the batch, the row of the previous inference that it continues (beam
// search).
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ir/builder.hpp"
#include "ir/cache_names.hpp"
#include "ir/shape_tools.hpp"
#include "passes/model_caches.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

struct Cache {
  ir::Node* past;     ///< Parameter
  ir::Node* present;  ///< Result
  std::size_t batch_axis;
  ir::PartialShape shape;  ///< of the variable
};

/// The shape of a variable: it must fit what the first inference reads and what every inference writes.
ir::PartialShape shape_of_variable(const ir::PartialShape& past, const ir::PartialShape& present) {
  ir::PartialShape shape = ir::PartialShape::of_rank(past.rank());
  for (std::size_t i = 0; i < past.rank(); ++i) {
    // For example, the size of a head may be known of one of the two only.
    const auto both = ir::intersect(past[i], present[i]);
    if (both && both->is_static() && (past[i].is_static() || present[i].is_static())) shape[i] = *both;
  }
  return shape;
}

std::vector<Cache> find_caches(const ir::Graph& graph) {
  std::vector<Cache> caches;
  for (const CacheEnds& ends : caches_of(graph)) {
    const ir::PartialShape& past = ends.past->output(0).shape;
    const ir::PartialShape& present = ends.present->output(0).shape;
    caches.push_back(
        {ends.past, ends.present, ir::batch_axis_of_cache(past), shape_of_variable(past, present)});
  }
  return caches;
}

/// An input whose first axis is the batch; `beam_idx` if no other such input is known.
ir::Node* batch_source(const ir::Graph& graph, ir::Node* beams) {
  for (const std::string_view name : {"input_ids", "inputs_embeds", "attention_mask"}) {
    for (ir::Node* parameter : graph.parameters()) {
      const ir::PartialShape& shape = parameter->output(0).shape;
      if (parameter->name == name && shape.has_rank() && shape.rank() > 0) return parameter;
    }
  }
  return beams;
}

bool is_narrow(ir::ElementType type) {
  return type == ir::ElementType::f16 || type == ir::ElementType::bf16;
}

/// The type of the variable. The CPU plugin computes f16 and bf16 in f32, and takes the length of such a
/// variable for that of its initial value.
ir::ElementType type_of_variable(const Cache& cache) {
  const ir::ElementType type = cache.past->output(0).type;
  return is_narrow(type) ? ir::ElementType::f32 : type;
}

/// Zeros of the cache's size before the first inference; dynamic sizes are lengths, so they are 0.
ir::Value initial_value(ir::Builder& builder, const Cache& cache, ir::Value batch) {
  std::vector<ir::Value> sizes;
  for (std::size_t i = 0; i < cache.shape.rank(); ++i) {
    const ir::Dimension& size = cache.shape[i];
    const bool is_batch = i == cache.batch_axis && !size.is_static();
    sizes.push_back(is_batch ? batch : builder.integers({size.is_static() ? size.size() : 0}));
  }
  const ir::Value target = ir::concat(builder, sizes);
  return ir::filled(builder, 0, type_of_variable(cache), target);
}

void make_variable(ir::Builder& builder, const Cache& cache, ir::Value batch, ir::Value beams) {
  std::vector<std::int64_t> sizes;
  for (const ir::Dimension& size : cache.shape) sizes.push_back(size.is_static() ? size.size() : -1);
  // The names of both ends joined, as in OpenVINO's own transformation.
  const std::string id = cache.past->name + cache.present->name;
  builder.set_name(cache.past->name);
  const ir::Value stored = builder.op(
      ops::ReadValue, {initial_value(builder, cache, batch)},
      {{"variable_id", id}, {"variable_type", type_of_variable(cache)}, {"variable_shape", sizes}});
  const ir::Value axis = builder.integer(static_cast<std::int64_t>(cache.batch_axis), ir::ElementType::i32);
  const ir::Value chosen = builder.op(ops::Gather, {stored, beams, axis}, {{"batch_dims", 0}});
  const ir::Value past = ir::convert(builder, chosen, cache.past->output(0).type);
  ir::replace_all_uses(cache.past->value(), past);
  past.output().names.clear();  // the names belong to the removed input
  builder.set_name(cache.present->name);
  builder.op(ops::Assign, {ir::convert(builder, cache.present->input(0), type_of_variable(cache))},
             {{"variable_id", id}});
}

/// GenAI reads logits as f32, whatever their type.
void widen_logits(ir::Builder& builder) {
  for (ir::Node* result : builder.graph().results()) {
    const ir::Value value = result->input(0);
    if (result->name != "logits" || !is_narrow(value.type())) continue;
    builder.set_name("logits");
    ir::replace_results(value, ir::convert(builder, value, ir::ElementType::f32));
  }
}

bool has_variables(const ir::Graph& graph) {
  return std::ranges::any_of(graph.nodes(),
                             [](const ir::NodePointer& node) { return node->is(ops::ReadValue); });
}

/// A cache with several dynamic sizes besides the batch, so that it is not known which one is its length.
const Cache* find_open_cache(const std::vector<Cache>& caches) {
  const auto is_open = [](const Cache& cache) {
    const auto dynamic = std::ranges::count_if(cache.shape, &ir::Dimension::is_dynamic);
    return dynamic > (cache.shape[cache.batch_axis].is_dynamic() ? 2 : 1);
  };
  const auto found = std::ranges::find_if(caches, is_open);
  return found == caches.end() ? nullptr : &*found;
}

void report_open_cache(DiagnosticSink& sink, const Cache& cache) {
  Diagnostic diagnostic;
  diagnostic.code = DiagnosticCode::unknown_cache_size;
  diagnostic.message = fmt::format("the cache '{}' has the shape {}: which size is its length is not known",
                                   cache.past->name, ir::to_string(cache.shape));
  diagnostic.hint = "declare the number and the size of the heads in the model";
  sink.report(std::move(diagnostic));
}

void report_no_cache(DiagnosticSink& sink) {
  Diagnostic diagnostic;
  diagnostic.code = DiagnosticCode::no_cache;
  diagnostic.message =
      "the model has no input 'past*' of the type and rank of an output 'present*', so it has no cache";
  diagnostic.hint = "convert it without --stateful (Options::stateful), or export it with its cache";
  sink.report(std::move(diagnostic));
}

}  // namespace

bool keep_caches_in_variables(ir::Model& model, PassContext& context) {
  ir::Graph& graph = model.graph;
  if (!context.stateful || (graph.may_hold({ops::ReadValue}) && has_variables(graph))) return false;
  const std::vector<Cache> caches = find_caches(graph);
  if (caches.empty()) {
    report_no_cache(*context.sink);
    return false;
  }
  if (const Cache* open = find_open_cache(caches)) {
    report_open_cache(*context.sink, *open);
    return false;
  }
  ir::Builder builder(graph);
  const Cache& first = caches.front();
  const ir::Dimension batch = first.shape[first.batch_axis];
  builder.set_name("beam_idx");
  const ir::Value beams = builder.parameter(ir::ElementType::i32, ir::PartialShape{batch});
  beams.node->output(0).names.push_back("beam_idx");
  ir::Node* const source = batch_source(graph, beams.node);
  builder.set_name("");
  const ir::Value shape = ir::computed_shape_of(builder, source->value());
  const ir::Value size = ir::gather(builder, shape, builder.integers({0}));
  std::vector<ir::Node*> replaced;
  for (const Cache& cache : caches) {
    make_variable(builder, cache, size, beams);
    replaced.insert(replaced.end(), {cache.present, cache.past});
  }
  graph.remove(replaced);
  widen_logits(builder);
  return true;
}

}  // namespace onnx2ir::passes
