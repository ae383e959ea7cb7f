// The Python module: the public API with exceptions. The interpreter is free while a model is converted or
// written.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <onnx2ir/onnx2ir.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace py = pybind11;

/// A model and the warnings that came with it.
struct ConvertedModel {
  onnx2ir::Model model;
  std::vector<onnx2ir::Diagnostic> diagnostics;
};

[[noreturn]] void raise_conversion_error(const std::vector<onnx2ir::Diagnostic>& diagnostics) {
  std::vector<onnx2ir::Diagnostic> errors;
  std::ranges::copy_if(diagnostics, std::back_inserter(errors), [](const onnx2ir::Diagnostic& diagnostic) {
    return diagnostic.severity == onnx2ir::Severity::error;
  });
  const std::string text = onnx2ir::to_string(errors);
  const py::object type = py::module_::import("onnx2ir").attr("ConversionError");
  const py::object error = type(text);
  error.attr("diagnostics") = diagnostics;
  PyErr_SetObject(type.ptr(), error.ptr());
  throw py::error_already_set();
}

/// What `convert` may be given: the bytes of a model, an onnx.ModelProto, or else a path.
onnx2ir::Conversion convert_object(py::object model, const onnx2ir::Options& options) {
  if (py::hasattr(model, "SerializeToString")) model = model.attr("SerializeToString")();
  if (py::isinstance<py::bytes>(model)) {
    const auto bytes = model.cast<std::string_view>();
    const py::gil_scoped_release released;
    return onnx2ir::convert_bytes(std::as_bytes(std::span(bytes)), options);
  }
  const auto path = py::module_::import("os").attr("fspath")(model).cast<std::filesystem::path>();
  const py::gil_scoped_release released;
  return onnx2ir::convert_file(path, options);
}

ConvertedModel convert(py::object model, const std::string& target_runtime, bool compress_to_fp16,
                       bool unroll_loops, bool stateful, unsigned threads, std::uint64_t max_function_nodes,
                       std::uint64_t max_memory,
                       const std::optional<std::filesystem::path>& external_data_folder) {
  onnx2ir::Options options;
  options.target_runtime = target_runtime;
  options.compress_to_fp16 = compress_to_fp16;
  options.unroll_loops = unroll_loops;
  options.stateful = stateful;
  options.threads = threads;
  options.max_function_nodes = max_function_nodes;
  options.max_memory = max_memory;
  if (external_data_folder) options.external_data_folder = *external_data_folder;
  onnx2ir::Conversion conversion = convert_object(std::move(model), options);
  if (!conversion.model) raise_conversion_error(conversion.diagnostics);
  return {*std::move(conversion.model), std::move(conversion.diagnostics)};
}

[[noreturn]] void raise_os_error(const onnx2ir::Diagnostic& problem) {
  PyErr_SetString(PyExc_OSError, problem.message.c_str());
  throw py::error_already_set();
}

onnx2ir::SaveOptions::Sync sync_of(const std::string& name) {
  using Sync = onnx2ir::SaveOptions::Sync;
  if (name == "replaced") return Sync::replaced;
  if (name == "always") return Sync::always;
  if (name == "never") return Sync::never;
  throw py::value_error("sync must be 'replaced', 'always' or 'never'");
}

void save(const ConvertedModel& converted, const std::filesystem::path& xml,
          const std::optional<std::filesystem::path>& bin, const std::string& sync,
          std::uint64_t max_xml_size) {
  onnx2ir::SaveOptions options;
  options.max_xml_size = max_xml_size;
  options.sync = sync_of(sync);
  const auto problem = [&] {
    const py::gil_scoped_release released;
    return converted.model.save(xml, bin.value_or(std::filesystem::path()), options);
  }();
  if (problem) raise_os_error(*problem);
}

void check_files(const std::filesystem::path& xml, const std::optional<std::filesystem::path>& bin) {
  const auto problem = [&] {
    const py::gil_scoped_release released;
    return onnx2ir::check_files(xml, bin.value_or(std::filesystem::path()));
  }();
  if (problem) raise_os_error(*problem);
}

py::bytes weights(const ConvertedModel& converted) {
  const std::vector<std::byte> bytes = converted.model.weights();
  // Python's bytes are chars. NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// None where the rank is not known, -1 for a dimension that is not.
std::optional<std::vector<std::int64_t>> shape(const onnx2ir::Port& port) {
  if (!port.has_rank) return std::nullopt;
  return port.shape;
}

void add_diagnostics(py::module_& module) {
  using onnx2ir::Diagnostic;
  using onnx2ir::Place;
  py::class_<Place>(module, "Place", "Where in a model something is; what is not known is empty or -1.")
      .def_readonly("graph", &Place::graph)
      .def_readonly("node_index", &Place::node_index)
      .def_readonly("node_name", &Place::node_name)
      .def_readonly("domain", &Place::domain)
      .def_readonly("op_type", &Place::op_type)
      .def_readonly("opset", &Place::opset)
      .def_readonly("outputs", &Place::outputs)
      .def_readonly("function_stack", &Place::function_stack);
  const auto severity = [](const Diagnostic& diagnostic) {
    constexpr const char* kNames[] = {"remark", "warning", "error"};
    return kNames[static_cast<std::size_t>(diagnostic.severity)];
  };
  py::class_<Diagnostic>(module, "Diagnostic", "What a conversion has to say about a model.")
      .def_property_readonly("severity", severity, "'remark', 'warning' or 'error'")
      .def_readonly("code", &Diagnostic::code)
      .def_readonly("message", &Diagnostic::message)
      .def_readonly("place", &Diagnostic::place)
      .def_readonly("notes", &Diagnostic::notes)
      .def_readonly("hint", &Diagnostic::hint)
      .def("__str__", [](const Diagnostic& diagnostic) { return onnx2ir::to_string(diagnostic); });
}

void add_model(py::module_& module) {
  using onnx2ir::Port;
  py::class_<Port>(module, "Port", "An input or output of a converted model.")
      .def_readonly("name", &Port::name)
      .def_readonly("element_type", &Port::element_type)
      .def_property_readonly("shape", &shape, "-1 for a dimension not known; None without a known rank");
  py::class_<ConvertedModel>(module, "Model",
                             "A converted model. Leave the files it was read from unchanged.")
      .def_property_readonly("inputs", [](const ConvertedModel& self) { return self.model.inputs(); })
      .def_property_readonly("outputs", [](const ConvertedModel& self) { return self.model.outputs(); })
      .def_readonly("diagnostics", &ConvertedModel::diagnostics, "warnings and remarks")
      .def("save", &save, py::arg("xml"), py::arg("bin") = py::none(), py::kw_only(),
           py::arg("sync") = "replaced", py::arg("max_xml_size") = onnx2ir::SaveOptions{}.max_xml_size,
           "Writes the XML and, beside it or at `bin`, the weights; both or neither. Raises OSError.")
      .def(
          "xml", [](const ConvertedModel& self) { return py::bytes(self.model.xml()); },
          "The XML, in memory.")
      .def("weights", &weights, "The weights that the XML refers to, in memory.")
      .def("__str__", [](const ConvertedModel& self) { return self.model.text(); });
}

}  // namespace

PYBIND11_MODULE(onnx2ir, module) {  // NOLINT
  module.doc() = "ONNX models to OpenVINO IR";
  module.attr("__version__") = std::string(onnx2ir::version());
  const py::exception<void> error(module, "ConversionError", PyExc_ValueError);
  error.doc() = "A model that cannot be converted; `diagnostics` has all the reasons.";
  add_diagnostics(module);
  add_model(module);
  module.def("check_files", &check_files, py::arg("xml"), py::arg("bin") = py::none(),
             "Raises OSError unless the XML and, beside it or at `bin`, the weights were saved together.");
  module.def("convert", &convert, py::arg("model"), py::kw_only(), py::arg("target_runtime") = "",
             py::arg("compress_to_fp16") = false, py::arg("unroll_loops") = false,
             py::arg("stateful") = false, py::arg("threads") = 0,
             py::arg("max_function_nodes") = onnx2ir::Options{}.max_function_nodes, py::arg("max_memory") = 0,
             py::arg("external_data_folder") = py::none(),
             "Converts the model at a path, in bytes, or in an onnx.ModelProto. Raises ConversionError.");
}
