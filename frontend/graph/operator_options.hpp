// How operators are converted, as the caller wants.
#pragma once

#include "onnx2ir/quantization.hpp"

namespace onnx2ir::frontend {

struct ExtensionTable;
struct OperatorMap;

struct OperatorOptions {
  /// Keeps operators that have no translator as layers of an extension instead of an error: see
  /// frontend/graph/kept_operator.hpp.
  bool keep_unknown = false;
  /// Rules that take precedence over all translators; may be null.
  const OperatorMap* map = nullptr;
  /// Translators of libraries, which take precedence over all but the rules; may be null.
  const ExtensionTable* extensions = nullptr;
  /// Whether caches of language models become variables (Options::stateful). Callers cannot read variables,
  /// so translators may choose the layout of a cache.
  bool stateful = false;
  /// Whether quantised operators are computed with integers (Options::quantization).
  Quantization quantization = Quantization::fast;
};

}  // namespace onnx2ir::frontend
