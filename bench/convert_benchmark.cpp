// Conversions inside a running process, from a file to XML and weights in memory, and their stages one by
// one.
#include <benchmark/benchmark.h>

#include <iostream>
#include <onnx2ir/onnx2ir.hpp>
#include <string>

#include "stages_benchmark.hpp"

namespace {

void convert(benchmark::State& state, const std::string& model) {
  for (auto _ : state) {
    const onnx2ir::Conversion conversion = onnx2ir::convert_file(model);
    if (!conversion.model) {
      state.SkipWithError("not converted");
      return;
    }
    benchmark::DoNotOptimize(conversion.model->xml());
    benchmark::DoNotOptimize(conversion.model->weights());
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    const std::string model = argv[i];
    benchmark::RegisterBenchmark(model.c_str(), [model](benchmark::State& state) {
      convert(state, model);
    })->Unit(benchmark::kMicrosecond);
    register_stages(model);
  }
  benchmark::RunSpecifiedBenchmarks();
}
