// A target with one fault only, to find out what a model needs for it.
#pragma once

#include "target/fault_set.hpp"

namespace onnx2ir::target {

/// While it exists, no Target of this thread has a fault other than `fault`.
class OnlyFault {
 public:
  explicit OnlyFault(Fault fault);
  OnlyFault(const OnlyFault&) = delete;
  OnlyFault& operator=(const OnlyFault&) = delete;
  ~OnlyFault();

 private:
  Fault fault_;
  const Fault* outer_;
};

}  // namespace onnx2ir::target
