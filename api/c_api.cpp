// The C interface: wraps the C++ interface in handles, without exceptions.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "api/c_objects.hpp"
#include "base/failure.hpp"
#include "json/json.hpp"
#include "onnx2ir/onnx2ir.h"
#include "onnx2ir/onnx2ir.hpp"

namespace {

using namespace onnx2ir;

template <typename Convert>
onnx2ir_conversion* converted(const onnx2ir_options* options, Convert convert) noexcept {
  return without_exceptions<onnx2ir_conversion*>(nullptr, [&] {
    auto handle = std::make_unique<onnx2ir_conversion>();
    handle->conversion = convert(options == nullptr ? Options() : options->conversion);
    describe(*handle);
    return handle.release();
  });
}

/// The error for a pointer of the program that is NULL. `what`: "the path of the model".
Diagnostic null_error(const std::string& what) {
  return base::diagnostic_of({DiagnosticCode::unreadable_input, what + " is NULL"});
}

Conversion failed(Diagnostic problem) {
  Conversion conversion;
  conversion.diagnostics.push_back(std::move(problem));
  return conversion;
}

Json json_of(const OperatorInfo& row) {
  return {{"domain", row.domain}, {"name", row.name}, {"versions", row.versions}, {"limits", row.limits}};
}

Json json_of(const OptionInfo& row) {
  constexpr const char* kKinds[] = {"flag", "text", "list"};
  return {{"name", row.name},
          {"kind", kKinds[static_cast<std::size_t>(row.kind)]},
          {"value_name", row.value_name},
          {"summary", row.summary},
          {"group", row.group},
          {"choices", row.choices}};
}

template <typename Rows>
std::string list_text(const Rows& rows) {
  return indented_text(json_list(rows, [](const auto& row) { return json_of(row); }));
}

/// Returns whether there are any.
bool add_errors(onnx2ir_conversion& conversion, const std::vector<Diagnostic>& problems) {
  for (const Diagnostic& problem : problems) add_error(conversion, problem);
  return !problems.empty();
}

/// The counts with these sizes; no value, with the reason in the conversion, if they do not fit the model.
std::optional<Stats> stats_of(onnx2ir_conversion& conversion, const char* sizes) {
  if (!conversion.conversion.model) return std::nullopt;
  auto given = parse_sizes(sizes == nullptr ? "" : sizes);
  if (!given) {
    add_error(conversion, base::diagnostic_of(std::move(given.error())));
    return std::nullopt;
  }
  Stats found = stats(*conversion.conversion.model, {.sizes = *std::move(given)});
  return add_errors(conversion, found.diagnostics) ? std::nullopt : std::optional(std::move(found));
}

/// Stores the text that `make` returns for the model in `text`. Null, with the reason in the conversion, if
/// there is no model or its files cannot be read.
template <typename Make>
const char* text_of(onnx2ir_conversion& conversion, std::string& text, Make make) noexcept {
  return use_model(conversion, [&](const Model& model) { text = make(model); }) ? text.c_str() : nullptr;
}

/// Adds the problem, if there is one.
onnx2ir_status status_of(onnx2ir_conversion& conversion, std::optional<Diagnostic> problem) {
  if (!problem) return ONNX2IR_OK;
  add_error(conversion, *std::move(problem));
  return ONNX2IR_FAILED;
}

SaveOptions saving_of(const onnx2ir_options* options) {
  return options == nullptr ? SaveOptions() : options->saving;
}

}  // namespace

extern "C" {

const char* onnx2ir_version(void) {
  return version().data();
}

int onnx2ir_abi_version(void) {
  return ONNX2IR_ABI_VERSION;
}

onnx2ir_options* onnx2ir_options_new(void) {
  return without_exceptions<onnx2ir_options*>(nullptr, [] { return new onnx2ir_options; });
}

void onnx2ir_options_delete(onnx2ir_options* options) {
  delete options;
}

onnx2ir_status onnx2ir_options_set(onnx2ir_options* options, const char* name, const char* value) {
  return without_exceptions(ONNX2IR_FAILED, [&] {
    if (name == nullptr || value == nullptr) {
      options->problem = name == nullptr ? "the name of the option is NULL" : "the value is NULL";
      return ONNX2IR_FAILED;
    }
    std::string row(name);  // as C writes it
    std::ranges::replace(row, '-', '_');
    const bool is_of_saving = std::ranges::count(list_save_options(), row, &OptionInfo::name) != 0;
    const auto problem =
        is_of_saving ? set_option(options->saving, row, value) : set_option(options->conversion, row, value);
    options->problem = problem.value_or("");
    return problem ? ONNX2IR_FAILED : ONNX2IR_OK;
  });
}

const char* onnx2ir_options_problem(const onnx2ir_options* options) {
  return options->problem.c_str();
}

void onnx2ir_options_set_progress(onnx2ir_options* options, onnx2ir_progress progress, void* data) {
  if (progress == nullptr) {
    options->conversion.progress = nullptr;
    options->conversion.is_cancelled = nullptr;
    options->saving.progress = nullptr;
    options->saving.is_cancelled = nullptr;
    return;
  }
  // The name of a stage may lack a terminating zero, so it is copied. An answer takes effect at the next call
  // of is_cancelled().
  const auto answer = std::make_shared<int>(0);
  options->conversion.progress = [=](std::string_view stage, double fraction) {
    *answer |= progress(std::string(stage).c_str(), fraction, data);
  };
  // Limits the calls: there are many nodes, and a call into another language may be slow.
  constexpr std::chrono::milliseconds kPause{10};
  const auto last = std::make_shared<std::chrono::steady_clock::time_point>();
  options->conversion.is_cancelled = [=] {
    const auto now = std::chrono::steady_clock::now();
    if (*answer == 0 && now - *last >= kPause) {
      *last = now;
      *answer |= progress(nullptr, 0, data);
    }
    return *answer != 0;
  };
  // A stage is reported at once, its parts at intervals.
  const auto stage_before = std::make_shared<std::string>();
  options->saving.progress = [=](std::string_view stage, double fraction) {
    const auto now = std::chrono::steady_clock::now();
    if (*answer != 0 || (stage == *stage_before && now - *last < kPause)) return;
    *last = now;
    *stage_before = stage;
    *answer |= progress(stage_before->c_str(), fraction, data);
  };
  options->saving.is_cancelled = options->conversion.is_cancelled;
}

void onnx2ir_options_set_external_data(onnx2ir_options* options, onnx2ir_external_size size,
                                       onnx2ir_external_read read, void* user) {
  if (size == nullptr || read == nullptr) {
    options->conversion.external_data = nullptr;
    return;
  }
  options->conversion.external_data = [=](const std::string& location) -> std::optional<SuppliedData> {
    const int64_t bytes = size(location.c_str(), user);
    if (bytes < 0) return std::nullopt;
    return SuppliedData{static_cast<std::uint64_t>(bytes),
                        [=](std::uint64_t offset, std::span<std::byte> target) {
                          return read(location.c_str(), offset, target.data(), target.size(), user) != 0;
                        }};
  };
}

onnx2ir_conversion* onnx2ir_convert_file(const char* path, const onnx2ir_options* options) {
  return converted(options, [&](const Options& how) {
    return path == nullptr ? failed(null_error("the path of the model")) : convert_file(path, how);
  });
}

onnx2ir_conversion* onnx2ir_convert_bytes(const void* bytes, size_t size, const onnx2ir_options* options) {
  return converted(options, [&](const Options& how) {
    if (bytes == nullptr && size != 0) return failed(null_error("the model"));
    return convert_bytes(std::span(static_cast<const std::byte*>(bytes), size), how);
  });
}

onnx2ir_conversion* onnx2ir_read_ir(const char* xml, const char* bin) {
  return converted(nullptr, [&](const Options&) {
    return xml == nullptr ? failed(null_error("the path of the XML"))
                          : read_ir(xml, bin == nullptr ? "" : bin);
  });
}

onnx2ir_conversion* onnx2ir_read_ir_bytes(const void* xml, size_t xml_size, const void* weights,
                                          size_t weights_size) {
  return converted(nullptr, [&](const Options&) {
    if (xml == nullptr || (weights == nullptr && weights_size != 0))
      return failed(null_error(xml == nullptr ? "the XML" : "the address of the weights"));
    const std::span bytes(static_cast<const std::byte*>(weights), weights_size);
    return read_ir_bytes({static_cast<const char*>(xml), xml_size}, {bytes.begin(), bytes.end()});
  });
}

void onnx2ir_conversion_delete(onnx2ir_conversion* conversion) {
  delete conversion;
}

onnx2ir_status onnx2ir_conversion_status(const onnx2ir_conversion* conversion) {
  return conversion->conversion.model ? ONNX2IR_OK : ONNX2IR_FAILED;
}

const char* onnx2ir_conversion_text(const onnx2ir_conversion* conversion) {
  return conversion->text.c_str();
}

const char* onnx2ir_conversion_json(const onnx2ir_conversion* conversion) {
  return conversion->json.c_str();
}

onnx2ir_status onnx2ir_conversion_save(onnx2ir_conversion* conversion, const char* xml, const char* bin,
                                       const onnx2ir_options* options) {
  return without_exceptions(ONNX2IR_FAILED, [&] {
    if (!conversion->conversion.model) return ONNX2IR_FAILED;
    if (xml == nullptr) return status_of(*conversion, null_error("the path of the XML"));
    return status_of(*conversion,
                     conversion->conversion.model->save(xml, bin == nullptr ? "" : bin, saving_of(options)));
  });
}

const char* onnx2ir_conversion_xml(onnx2ir_conversion* conversion, size_t* size) {
  const auto read = [&](const Model& model) { conversion->xml = model.xml(); };
  if (!conversion->xml && !use_model(*conversion, read)) return nullptr;
  *size = conversion->xml->size();
  return conversion->xml->c_str();
}

const void* onnx2ir_conversion_weights(onnx2ir_conversion* conversion, size_t* size) {
  const auto read = [&](const Model& model) { conversion->weights = model.weights(); };
  if (!conversion->weights && !use_model(*conversion, read)) return nullptr;
  *size = conversion->weights->size();
  // A model without weights also needs a valid address.
  static constexpr std::byte kNone{};
  return conversion->weights->empty() ? &kNone : conversion->weights->data();
}

onnx2ir_status onnx2ir_conversion_copy_weights(onnx2ir_conversion* conversion, onnx2ir_allocate allocate,
                                               void* user) {
  const auto copy = [&](const Model& model) {
    model.copy_weights([&](std::size_t size) {
      void* const address = allocate(size, user);
      if (address == nullptr && size != 0) throw std::bad_alloc();
      return static_cast<std::byte*>(address);
    });
  };
  return use_model(*conversion, copy) ? ONNX2IR_OK : ONNX2IR_FAILED;
}

onnx2ir_status onnx2ir_conversion_write(onnx2ir_conversion* conversion, onnx2ir_write xml, void* xml_user,
                                        onnx2ir_write weights, void* weights_user,
                                        const onnx2ir_options* options) {
  return without_exceptions(ONNX2IR_FAILED, [&] {
    if (!conversion->conversion.model) return ONNX2IR_FAILED;
    const auto sink = [](onnx2ir_write write, void* user) {
      return [=](std::span<const std::byte> bytes) { return write(bytes.data(), bytes.size(), user) != 0; };
    };
    return status_of(*conversion, conversion->conversion.model->write(
                                      sink(xml, xml_user), sink(weights, weights_user), saving_of(options)));
  });
}

const char* onnx2ir_conversion_graph(onnx2ir_conversion* conversion) {
  return text_of(*conversion, conversion->graph, [](const Model& model) { return model.text(); });
}

const char* onnx2ir_conversion_html(onnx2ir_conversion* conversion) {
  return text_of(*conversion, conversion->html, [](const Model& model) { return model.html(); });
}

const char* onnx2ir_conversion_diff(onnx2ir_conversion* before, const onnx2ir_conversion* after) {
  if (!after->conversion.model) return nullptr;
  return text_of(*before, before->differences, [&](const Model& model) {
    std::string lines;
    for (const std::string& line : diff(model, *after->conversion.model)) lines += line + '\n';
    return lines;
  });
}

const char* onnx2ir_conversion_differences(onnx2ir_conversion* before, const onnx2ir_conversion* after,
                                           int ignores_names) {
  if (!after->conversion.model) return nullptr;
  return text_of(*before, before->difference_list, [&](const Model& model) {
    return to_json(differences(model, *after->conversion.model, {.ignores_names = ignores_names != 0}));
  });
}

const char* onnx2ir_conversion_stats(onnx2ir_conversion* conversion, const char* sizes) {
  return without_exceptions<const char*>(nullptr, [&]() -> const char* {
    const auto found = stats_of(*conversion, sizes);
    if (!found) return nullptr;
    conversion->counts = to_json(*found);
    return conversion->counts.c_str();
  });
}

const char* onnx2ir_conversion_html_with_sizes(onnx2ir_conversion* conversion, const char* sizes) {
  return without_exceptions<const char*>(nullptr, [&]() -> const char* {
    const auto found = stats_of(*conversion, sizes);
    if (!found) return nullptr;
    return text_of(*conversion, conversion->html, [&](const Model& model) { return model.html(*found); });
  });
}

const char* onnx2ir_conversion_lint(onnx2ir_conversion* conversion, const onnx2ir_options* options) {
  return without_exceptions<const char*>(nullptr, [&]() -> const char* {
    if (!conversion->conversion.model) return nullptr;
    const Lint found =
        lint(*conversion->conversion.model, options == nullptr ? Options() : options->conversion);
    if (add_errors(*conversion, found.diagnostics)) return nullptr;
    conversion->affected = to_json(found);
    return conversion->affected.c_str();
  });
}

onnx2ir_conversion* onnx2ir_conversion_legalize(onnx2ir_conversion* conversion,
                                                const onnx2ir_options* options) {
  if (!conversion->conversion.model) return nullptr;
  return converted(options, [&](const Options& how) { return legalize(*conversion->conversion.model, how); });
}

onnx2ir_status onnx2ir_check_files(const char* xml, const char* bin, char* problem, size_t size) {
  return without_exceptions(ONNX2IR_FAILED, [&] {
    const auto found = xml == nullptr ? std::optional(null_error("the path of the XML"))
                                      : check_files(xml, bin == nullptr ? "" : bin);
    const std::string message = found ? found->message : std::string();
    if (size != 0) {
      const std::size_t length = std::min(size - 1, message.size());
      std::memcpy(problem, message.data(), length);
      problem[length] = '\0';
    }
    return found ? ONNX2IR_FAILED : ONNX2IR_OK;
  });
}

const char* onnx2ir_supported_operators(void) {
  return without_exceptions<const char*>(nullptr, [] {
    static const std::string json = list_text(supported_operators());
    return json.c_str();
  });
}

const char* onnx2ir_list_options(void) {
  return without_exceptions<const char*>(nullptr, [] {
    static const std::string json = [] {
      auto rows = list_options();
      const auto saving = list_save_options();
      rows.insert(rows.end(), saving.begin(), saving.end());
      return list_text(rows);
    }();
    return json.c_str();
  });
}

}  // extern "C"
