#include "stages_benchmark.hpp"

#include <benchmark/benchmark.h>

#include <filesystem>
#include <memory>

#include "backend_xml/weights_layout.hpp"
#include "backend_xml/write_model.hpp"
#include "backend_xml/xml_writer.hpp"
#include "frontend/frontend.hpp"
#include "frontend/reader/reader.hpp"
#include "ir/inference.hpp"
#include "passes/pipeline.hpp"

namespace {

using onnx2ir::DiagnosticSink;
using onnx2ir::ir::Model;
using Stage = void (*)(benchmark::State& state, const std::filesystem::path& model);

std::unique_ptr<Model> import(const std::filesystem::path& path) {
  DiagnosticSink sink;
  return onnx2ir::frontend::import_model(path, {}, {}, sink).model;
}

void run_passes(Model& model) {
  DiagnosticSink sink;
  onnx2ir::passes::PassContext context;
  context.sink = &sink;
  onnx2ir::passes::run_pipeline(model, context);
}

/// The model as passed to the back end.
std::unique_ptr<Model> finished(const std::filesystem::path& path) {
  auto model = import(path);
  run_passes(*model);
  return model;
}

void read(benchmark::State& state, const std::filesystem::path& path) {
  for (auto _ : state) {
    DiagnosticSink sink;
    benchmark::DoNotOptimize(onnx2ir::frontend::load_model(path, {}, sink));
  }
}

void import_all(benchmark::State& state, const std::filesystem::path& path) {
  for (auto _ : state) benchmark::DoNotOptimize(import(path));
}

void infer(benchmark::State& state, const std::filesystem::path& path) {
  const auto model = import(path);
  for (auto _ : state) onnx2ir::ir::infer(model->graph);
}

void passes(benchmark::State& state, const std::filesystem::path& path) {
  for (auto _ : state) {
    state.PauseTiming();
    auto model = import(path);
    state.ResumeTiming();
    run_passes(*model);
    state.PauseTiming();
    model.reset();
    state.ResumeTiming();
  }
}

void lay_out(benchmark::State& state, const std::filesystem::path& path) {
  const auto model = finished(path);
  for (auto _ : state) benchmark::DoNotOptimize(onnx2ir::backend_xml::lay_out_weights(*model));
}

void xml(benchmark::State& state, const std::filesystem::path& path) {
  const auto model = finished(path);
  const auto layout = onnx2ir::backend_xml::lay_out_weights(*model);
  for (auto _ : state) {
    onnx2ir::backend_xml::write_xml(*model, layout, "", [](std::string_view text) {
      benchmark::DoNotOptimize(text.data());
      return true;
    });
  }
}

void write(benchmark::State& state, const std::filesystem::path& path) {
  const auto model = finished(path);
  const auto folder = std::filesystem::temp_directory_path();
  const auto xml = folder / "onnx2ir_benchmark.xml";
  const auto bin = folder / "onnx2ir_benchmark.bin";
  onnx2ir::SaveOptions options;
  options.sync = onnx2ir::SaveOptions::Sync::never;
  for (auto _ : state) {
    if (auto problem = onnx2ir::backend_xml::write_files(*model, xml, bin, options))
      state.SkipWithError(problem->message.c_str());
  }
  std::filesystem::remove(xml);
  std::filesystem::remove(bin);
}

struct NamedStage {
  const char* name;
  Stage run;
};

constexpr NamedStage kStages[] = {
    {"read", read},     {"read+translate", import_all}, {"infer", infer},
    {"passes", passes}, {"weights layout", lay_out},    {"XML", xml},
    {"files", write},
};

}  // namespace

void register_stages(const std::string& model) {
  if (import(model) == nullptr) return;
  for (const NamedStage& stage : kStages) {
    const auto name = std::filesystem::path(model).filename().string() + "/" + stage.name;
    benchmark::RegisterBenchmark(name.c_str(), [run = stage.run, model](benchmark::State& state) {
      run(state, model);
    })->Unit(benchmark::kMicrosecond);
  }
}
