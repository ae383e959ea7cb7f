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
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/failure.hpp"
#include "ir/cache_names.hpp"
#include "onnx2ir/options.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/analysis/caches.hpp"
#include "passes/passes.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

struct Cache : CacheEnds, CacheVariable {
  ir::ElementType type;  ///< of the variable
};

/// Caches of the same type, sizes and rows share their initial value.
using CacheKind = std::tuple<ir::ElementType, std::vector<std::int64_t>, std::int64_t>;

/// What all variables use.
struct Common {
  ir::Value batch;  ///< i64 [1]
  ir::Value beams;
  bool is_sole_use_faulty = false;
  std::map<CacheKind, ir::Value> initial_values;
  std::map<std::int64_t, ir::Value> rows_of_beams;  ///< by the rows of a cache for each row of the batch
};

CacheKind kind_of(const Cache& cache) {
  return {cache.type, cache.shape.sizes_or(-1), cache.rows};
}

/// The axis whose size is 0 before the first inference.
std::optional<std::size_t> length_axis(const Cache& cache) {
  for (std::size_t i = 0; i < cache.shape.rank(); ++i) {
    if (i != cache.batch_axis && cache.shape[i].is_dynamic()) return i;
  }
  return std::nullopt;
}

/// An input whose first axis is the batch; null if none is known.
ir::Node* batch_source(const ir::Graph& graph) {
  for (const std::string_view name : {"input_ids", "inputs_embeds", "attention_mask"}) {
    for (ir::Node* parameter : graph.parameters()) {
      const ir::PartialShape& shape = parameter->output(0).shape;
      if (parameter->name == name && shape.has_rank() && shape.rank() > 1) return parameter;
    }
  }
  return nullptr;
}

bool is_narrow(ir::ElementType type) {
  return type == ir::ElementType::f16 || type == ir::ElementType::bf16;
}

/// The type of the variable. The CPU plugin computes f16 and bf16 in f32; a Convert between variable and
/// Concat would keep it from running both in its attention.
ir::ElementType type_of_variable(ir::ElementType type, const PassContext& context) {
  if (is_narrow(type)) return ir::ElementType::f32;
  if (!context.has(Fault::wide_variables)) return type;
  if (type == ir::ElementType::f64) return ir::ElementType::f32;
  return type == ir::ElementType::i64 ? ir::ElementType::i32 : type;
}

/// Zeros of the cache's size before the first inference.
ir::Value emit_initial_value(ir::Builder& builder, const Cache& cache, ir::Value batch, ir::Value length) {
  std::vector<ir::Value> sizes;
  for (std::size_t i = 0; i < cache.shape.rank(); ++i) {
    const ir::Dimension& size = cache.shape[i];
    if (size.is_static()) {
      sizes.push_back(builder.integers({size.size()}));
    } else if (i != cache.batch_axis) {
      sizes.push_back(length);
    } else {
      sizes.push_back(cache.rows == 1 ? batch
                                      : builder.op(ops::Multiply, {batch, builder.integers({cache.rows})}));
    }
  }
  const ir::Value target = ir::concat(builder, sizes);
  return ir::fill(builder, 0, cache.type, target);
}

/// The rows of a cache that beam_idx selects: each of its elements stands for `rows` rows.
ir::Value select_rows_of_beams(ir::Builder& builder, Common& common, std::int64_t rows) {
  if (rows == 1) return common.beams;
  ir::Value& found = common.rows_of_beams[rows];
  if (found) return found;
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(rows));
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto constant = [&](const std::vector<std::int64_t>& values) {
    return builder.integers(values, ir::ElementType::i32);
  };
  const ir::Value first =
      builder.op(ops::Multiply, {ir::unsqueeze(builder, common.beams, {1}), constant({rows})});
  found =
      ir::reshape(builder, builder.op(ops::Add, {first, constant(numbers)}), std::vector<std::int64_t>{-1});
  return found;
}

ir::Value read_value(ir::Builder& builder, const Cache& cache, const std::string& id, ir::Value initial,
                     Common& common) {
  const ir::Value stored = builder.op(
      ops::ReadValue, {initial},
      {{"variable_id", id}, {"variable_type", cache.type}, {"variable_shape", cache.shape.sizes_or(-1)}});
  const ir::Value axis = builder.integer(static_cast<std::int64_t>(cache.batch_axis), ir::ElementType::i32);
  const ir::Value rows = select_rows_of_beams(builder, common, cache.rows);
  return builder.op(ops::Gather, {stored, rows, axis}, {{"batch_dims", 0}});
}

/// The first cache that needs the workaround for initial_variable_size, but whose length is its first axis;
/// null if no cache is so. The CPU plugin computes the Concat of such a cache in place, and writes outside of
/// the memory of the cache.
const Cache* find_lone_sequence(const std::vector<Cache>& caches,
                                const std::map<CacheKind, std::size_t>& counts, const PassContext& context) {
  if (!context.has(Fault::initial_variable_size)) return nullptr;
  const auto found = std::ranges::find_if(caches, [&](const Cache& cache) {
    return length_axis(cache) == std::size_t{0} && counts.at(kind_of(cache)) == 1;
  });
  return found == caches.end() ? nullptr : &*found;
}

/// `is_only`: whether no other cache has the same type and sizes.
void make_variable(ir::Builder& builder, const Cache& cache, bool is_only, Common& common) {
  // The names of both ends joined, as in OpenVINO's own transformation.
  const std::string id = cache.past->name + cache.present->name;
  builder.set_name(cache.past->name);
  const auto length = length_axis(cache);
  ir::Value chosen;
  if (is_only && length && common.is_sole_use_faulty) {
    // Workaround for initial_variable_size: appends the variable to its initial value, which is empty.
    // OpenVINO does not know this and keeps the Concat.
    const ir::Value zero = builder.op(ops::Subtract, {common.batch, common.batch});
    const ir::Value initial = emit_initial_value(builder, cache, common.batch, zero);
    chosen = ir::concat(builder, {initial, read_value(builder, cache, id, initial, common)},
                        static_cast<std::int64_t>(*length));
  } else {
    ir::Value& initial = common.initial_values[kind_of(cache)];
    if (!initial) initial = emit_initial_value(builder, cache, common.batch, builder.integers({0}));
    chosen = read_value(builder, cache, id, initial, common);
  }
  const ir::Value past = ir::convert(builder, chosen, cache.past->output(0).type);
  ir::replace_all_uses(cache.past->value(), past);
  past.output().names.clear();  // the names belong to the removed input
  builder.set_name(cache.present->name);
  builder.op(ops::Assign, {ir::convert(builder, cache.present->input(0), cache.type)}, {{"variable_id", id}});
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

void report_unsuitable_cache(DiagnosticSink& sink, const ir::Node& past, const std::string& reason) {
  sink.report(base::diagnostic_of(
      {DiagnosticCode::unknown_cache_size,
       fmt::format("the cache '{}' cannot be kept in a variable: it {}", past.name, reason),
       fmt::format("declare the sizes of the cache in the model, or with --input \"{}[...]\"; or convert "
                   "without --stateful",
                   past.name)}));
}

/// Reports inputs that look like caches but stay inputs: a program that expects variables does not set them.
void warn_about_inputs(const PassContext& context, const ir::Graph& graph, const std::vector<Cache>& caches) {
  constexpr std::size_t kMaxNotes = 8;
  std::vector<std::string> notes;
  for (const ir::Node* input : graph.parameters()) {
    if (ir::key_of_past(input->name) && std::ranges::find(caches, input, &Cache::past) == caches.end())
      notes.push_back(fmt::format("'{}'", input->name));
  }
  context.warn(
      {DiagnosticCode::cache_is_input,
       fmt::format(
           "{} inputs with names of caches (past*, input.cache*) stay inputs: the model has no output "
           "(present*, output.cache*) of the same type and rank, or returns it unchanged",
           notes.size()),
       "set them in each inference"},
      notes, kMaxNotes);
}

/// The caches; no value if one of them cannot be kept in a variable, which is reported.
std::optional<std::vector<Cache>> find_caches(const ir::Graph& graph, const ir::Node* source,
                                              PassContext& context) {
  std::vector<Cache> caches;
  const ir::Dimension batch = source != nullptr ? source->output(0).shape[0] : ir::Dimension();
  for (const CacheEnds& ends : caches_of(graph)) {
    // Nothing would be written to a variable.
    if (before_conversions(ends.present->input(0)) == ends.past->value()) continue;
    const Result<CacheVariable> variable = variable_for(ends, batch);
    if (!variable) {
      report_unsuitable_cache(*context.sink, *ends.past, variable.error().message);
      return std::nullopt;
    }
    caches.push_back({ends, *variable, type_of_variable(ends.past->output(0).type, context)});
  }
  return caches;
}

Common emit_common_values(ir::Builder& builder, const Cache& first, ir::Node* source,
                          const PassContext& context) {
  Common common;
  builder.set_name("beam_idx");
  const ir::Dimension beams = first.rows == 1 ? first.shape[first.batch_axis] : ir::Dimension();
  common.beams = builder.parameter(ir::ElementType::i32, ir::PartialShape{beams});
  common.beams.node->output(0).names.push_back("beam_idx");
  builder.set_name("");
  const ir::Value shape = ir::compute_shape_of(builder, source != nullptr ? source->value() : common.beams);
  common.batch = ir::gather(builder, shape, builder.integers({0}));
  common.is_sole_use_faulty = context.has(Fault::initial_variable_size);
  return common;
}

}  // namespace

bool keep_caches_in_variables(ir::Model& model, PassContext& context) {
  ir::Graph& graph = model.graph;
  if (!context.options->stateful || !nodes_of(model, {ops::ReadValue}).empty()) return false;
  ir::Node* const source = batch_source(graph);
  const auto caches = find_caches(graph, source, context);
  if (!caches) return false;
  if (caches->empty()) {
    context.sink->report(base::diagnostic_of(
        {DiagnosticCode::no_cache,
         "the model has no input 'past*' (or 'input.cache*') of the type and rank of an output 'present*' "
         "(or "
         "'output.cache*'), so it has no cache",
         "convert it without --stateful (Options::stateful), or export it with its cache"}));
    return false;
  }
  std::map<CacheKind, std::size_t> counts;
  for (const Cache& cache : *caches) ++counts[kind_of(cache)];
  if (const Cache* lone = find_lone_sequence(*caches, counts, context)) {
    report_unsuitable_cache(*context.sink, *lone->past,
                            "is the only one of its type and sizes, and its first axis is its length");
    return false;
  }
  warn_about_inputs(context, graph, *caches);
  ir::Builder builder(graph);
  Common common = emit_common_values(builder, caches->front(), source, context);
  std::vector<ir::Node*> replaced;
  for (const Cache& cache : *caches) {
    make_variable(builder, cache, counts.at(kind_of(cache)) == 1, common);
    replaced.insert(replaced.end(), {cache.present, cache.past});
  }
  graph.remove(replaced);
  widen_logits(builder);
  return true;
}

}  // namespace onnx2ir::passes
