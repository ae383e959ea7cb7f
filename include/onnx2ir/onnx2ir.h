/* onnx2ir for C and for languages that call C: ONNX models to OpenVINO IR.
 *
 *     onnx2ir_conversion* conversion = onnx2ir_convert_file("model.onnx", NULL);
 *     if (onnx2ir_conversion_status(conversion) == ONNX2IR_OK) onnx2ir_conversion_save(conversion, "model.xml", NULL, NULL);
 *     fputs(onnx2ir_conversion_text(conversion), stderr);
 *     onnx2ir_conversion_delete(conversion);
 *
 * Nothing throws, prints or exits. Strings are UTF-8 and end with a zero byte; those that are returned belong to the object
 * that they come from. Different objects may be used from different threads at the same time; one object from one thread
 * at a time. Functions that make an object return NULL when there is no memory. Pointers to objects must not be NULL, but
 * for those to options, where NULL means the defaults, and for those that are deleted.
 *
 * What is here stays as it is while ONNX2IR_ABI_VERSION is the same; functions may be added.
 */
#ifndef ONNX2IR_ONNX2IR_H
#define ONNX2IR_ONNX2IR_H

#include <stddef.h>
#include <stdint.h>

#define ONNX2IR_ABI_VERSION 1

#if defined(__GNUC__)
#define ONNX2IR_C_API __attribute__((visibility("default")))
#else
#define ONNX2IR_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The library's version, "0.2.0", and its ONNX2IR_ABI_VERSION. */
ONNX2IR_C_API const char* onnx2ir_version(void);
ONNX2IR_C_API int onnx2ir_abi_version(void);

/* ONNX2IR_FAILED: the text of the object says why. */
typedef enum onnx2ir_status { ONNX2IR_OK = 0, ONNX2IR_FAILED = 1 } onnx2ir_status;

typedef struct onnx2ir_options onnx2ir_options;
typedef struct onnx2ir_conversion onnx2ir_conversion;

ONNX2IR_C_API onnx2ir_options* onnx2ir_options_new(void);
ONNX2IR_C_API void onnx2ir_options_delete(onnx2ir_options* options);
/* Sets an option by its name on the command line, with hyphens or underscores ("input", "target_runtime"), flags to "true" or
 * "false". Those of list options add up. */
ONNX2IR_C_API onnx2ir_status onnx2ir_options_set(onnx2ir_options* options, const char* name, const char* value);
/* Why the last call of onnx2ir_options_set failed; empty if it did not. */
ONNX2IR_C_API const char* onnx2ir_options_problem(const onnx2ir_options* options);
/* Is called as the work goes on with the stage's name and the finished part of all work, 0 to 1; and more often without a
 * name (NULL). If it returns another number than 0, the conversion ends with the error "cancelled". The
 * options of onnx2ir_conversion_save use it in the same way; the previous files are unchanged if it cancels. */
typedef int (*onnx2ir_progress)(const char* stage, double fraction, void* data);
ONNX2IR_C_API void onnx2ir_options_set_progress(onnx2ir_options* options, onnx2ir_progress progress, void* data);

/* Supplies external data instead of files, for example if it is encrypted or on another machine. `size` returns the bytes at
 * `location`, as the model names it, or -1: it is a file. `read` copies `size` bytes from `offset` on to `target`, and returns 1, or 0 if it
 * cannot. Both get `user`, and are called during the conversion: the data is read once, in order, and is in memory as long as the
 * conversion. */
typedef int64_t (*onnx2ir_external_size)(const char* location, void* user);
typedef int (*onnx2ir_external_read)(const char* location, uint64_t offset, void* target, size_t size, void* user);
ONNX2IR_C_API void onnx2ir_options_set_external_data(onnx2ir_options* options, onnx2ir_external_size size, onnx2ir_external_read read,
                                                     void* user);

/* A model in a file, or of `size` bytes in memory, as ONNX protobuf or ONNX text. The bytes need not outlive the call; the
 * file has to stay unchanged until the IR is written. */
ONNX2IR_C_API onnx2ir_conversion* onnx2ir_convert_file(const char* path, const onnx2ir_options* options);
ONNX2IR_C_API onnx2ir_conversion* onnx2ir_convert_bytes(const void* bytes, size_t size, const onnx2ir_options* options);
/* An IR that onnx2ir or OpenVINO has written; `bin` may be NULL: beside `xml`. The files have to stay unchanged. */
ONNX2IR_C_API onnx2ir_conversion* onnx2ir_read_ir(const char* xml, const char* bin);
/* The same in memory; the bytes need not outlive the call. */
ONNX2IR_C_API onnx2ir_conversion* onnx2ir_read_ir_bytes(const void* xml, size_t xml_size, const void* weights, size_t weights_size);
ONNX2IR_C_API void onnx2ir_conversion_delete(onnx2ir_conversion* conversion);

/* Whether there is a model. */
ONNX2IR_C_API onnx2ir_status onnx2ir_conversion_status(const onnx2ir_conversion* conversion);
/* Errors and warnings for people, empty if there are none; and for programs, with inputs and outputs: a JSON object
 * {"inputs": [{"name", "element_type", "shape", "dimensions": [{"min", "max", "name"}]}], "outputs": [...],
 * "diagnostics": [...]}; shape and dimensions are null for a dynamic rank, a size of -1 is dynamic, a max of -1 unbounded. */
ONNX2IR_C_API const char* onnx2ir_conversion_text(const onnx2ir_conversion* conversion);
ONNX2IR_C_API const char* onnx2ir_conversion_json(const onnx2ir_conversion* conversion);

/* The functions below need a model (ONNX2IR_OK). What fails adds an error to text and JSON. */

/* Writes `xml`, and the weights to `bin` (NULL: beside `xml` with the ending .bin), both or neither. */
ONNX2IR_C_API onnx2ir_status onnx2ir_conversion_save(onnx2ir_conversion* conversion, const char* xml, const char* bin,
                                                     const onnx2ir_options* options);
/* The XML and the weights in memory, where they stay as long as the conversion; NULL if a file of the model cannot be read
 * any more. */
ONNX2IR_C_API const char* onnx2ir_conversion_xml(onnx2ir_conversion* conversion, size_t* size);
ONNX2IR_C_API const void* onnx2ir_conversion_weights(onnx2ir_conversion* conversion, size_t* size);
/* Writes the weights to memory of the caller: `allocate` gets their size in bytes and `user`, and returns the address, or NULL,
 * which is an error unless the size is 0. */
typedef void* (*onnx2ir_allocate)(size_t size, void* user);
ONNX2IR_C_API onnx2ir_status onnx2ir_conversion_copy_weights(onnx2ir_conversion* conversion, onnx2ir_allocate allocate, void* user);
/* Passes what onnx2ir_conversion_save would write to functions, in pieces and without seeking: first all weights, then all of the XML. They
 * return 1, or 0 to end the writing with an error. */
typedef int (*onnx2ir_write)(const void* bytes, size_t size, void* user);
ONNX2IR_C_API onnx2ir_status onnx2ir_conversion_write(onnx2ir_conversion* conversion, onnx2ir_write xml, void* xml_user,
                                                      onnx2ir_write weights, void* weights_user, const onnx2ir_options* options);

/* A layer as it is written. What belongs to it is valid until the visitor returns. */
typedef struct onnx2ir_layer onnx2ir_layer;
/* Calls `visit` for each layer, in an order in which each one follows those that it reads; layers of bodies come before the layer that has
 * the body. If `visit` returns 0, no more layers follow. ONNX2IR_FAILED if a file of the model cannot be read any more. */
typedef int (*onnx2ir_visit)(const onnx2ir_layer* layer, void* user);
ONNX2IR_C_API onnx2ir_status onnx2ir_conversion_visit_layers(onnx2ir_conversion* conversion, onnx2ir_visit visit, void* user);
/* The position in this order; the name; the type ("MatMul") and its version ("opset1"); the path of the body that the layer is in
 * ("loop/body"), empty for the main graph. */
ONNX2IR_C_API uint64_t onnx2ir_layer_id(const onnx2ir_layer* layer);
ONNX2IR_C_API const char* onnx2ir_layer_name(const onnx2ir_layer* layer);
ONNX2IR_C_API const char* onnx2ir_layer_type(const onnx2ir_layer* layer);
ONNX2IR_C_API const char* onnx2ir_layer_opset(const onnx2ir_layer* layer);
ONNX2IR_C_API const char* onnx2ir_layer_graph(const onnx2ir_layer* layer);
/* The value of an attribute as in the XML; NULL if the layer does not have it. */
ONNX2IR_C_API const char* onnx2ir_layer_attribute(const onnx2ir_layer* layer, const char* name);
/* Inputs: the id of the layer that is read, and in `output` the index of its output. */
ONNX2IR_C_API size_t onnx2ir_layer_input_count(const onnx2ir_layer* layer);
ONNX2IR_C_API uint64_t onnx2ir_layer_input(const onnx2ir_layer* layer, size_t index, size_t* output);
/* Outputs: the element type ("f32"), the rank and the sizes, -1 for what is dynamic. */
ONNX2IR_C_API size_t onnx2ir_layer_output_count(const onnx2ir_layer* layer);
ONNX2IR_C_API const char* onnx2ir_layer_output_type(const onnx2ir_layer* layer, size_t index);
ONNX2IR_C_API int64_t onnx2ir_layer_output_rank(const onnx2ir_layer* layer, size_t index);
ONNX2IR_C_API int64_t onnx2ir_layer_output_size(const onnx2ir_layer* layer, size_t index, size_t axis);
/* The bytes of a Const, as in the .bin: their number, 0 for other layers; and `size` of them from `offset` on. */
ONNX2IR_C_API uint64_t onnx2ir_layer_constant_size(const onnx2ir_layer* layer);
ONNX2IR_C_API onnx2ir_status onnx2ir_layer_constant_read(const onnx2ir_layer* layer, uint64_t offset, void* target, size_t size);
/* All of this, with bounds of dimensions, tensor names, and how bodies are connected: a JSON object with the fields of the struct Layer
 * (onnx2ir/layers.hpp). */
ONNX2IR_C_API const char* onnx2ir_layer_json(const onnx2ir_layer* layer);

/* The graph as text, with a hash for each large constant; NULL if a file of the model cannot be read any more. */
ONNX2IR_C_API const char* onnx2ir_conversion_graph(onnx2ir_conversion* conversion);
/* The graph as an HTML page for a web browser, without references to other files; NULL as above. */
ONNX2IR_C_API const char* onnx2ir_conversion_html(onnx2ir_conversion* conversion);
/* The same with a chart of the counts for these sizes, as in onnx2ir_conversion_stats; NULL also if they do not fit the model. */
ONNX2IR_C_API const char* onnx2ir_conversion_html_with_sizes(onnx2ir_conversion* conversion, const char* sizes);
/* The differences between two models, one line each, empty if they are equal; NULL if a file of a model cannot be read any
 * more. The text belongs to `before`. */
ONNX2IR_C_API const char* onnx2ir_conversion_diff(onnx2ir_conversion* before, const onnx2ir_conversion* after);

/* The same in parts: a JSON array of {"place", "what", "before", "after", "text"}, and for constants "elements": {"count", "changed",
 * "largest", "relative"}. `ignores_names`: 0, or 1 to compare no names of models, layers and tensors. */
ONNX2IR_C_API const char* onnx2ir_conversion_differences(onnx2ir_conversion* before, const onnx2ir_conversion* after,
                                                         int ignores_names);

/* Operators, weights, arithmetic and memory of a model: a JSON object with the fields of the struct Stats (onnx2ir/statistics.hpp).
 * `sizes` of dynamic dimensions of inputs: "batch=8,x[1]=224"; may be NULL. NULL if the sizes do not fit the model. */
ONNX2IR_C_API const char* onnx2ir_conversion_stats(onnx2ir_conversion* conversion, const char* sizes);

/* The layers of an IR that releases of the option "target_runtime" compute wrongly: a JSON array of {"layer", "operation", "fault",
 * "summary", "first_release", "last_release", "instruction_sets", "warning"}. NULL if the release is not supported or a file of the model cannot be read any more. The text belongs to `conversion`. */
ONNX2IR_C_API const char* onnx2ir_conversion_lint(onnx2ir_conversion* conversion, const onnx2ir_options* options);
/* A copy of an IR in which these faults are worked around. */
ONNX2IR_C_API onnx2ir_conversion* onnx2ir_conversion_legalize(onnx2ir_conversion* conversion, const onnx2ir_options* options);

/* Whether `xml` and `bin` (NULL: beside `xml`) were written together: 0 and an empty `problem` if they were, else the reason, cut
 * to `size` bytes. */
ONNX2IR_C_API onnx2ir_status onnx2ir_check_files(const char* xml, const char* bin, char* problem, size_t size);

/* All operators that are converted: a JSON array of {"domain", "name", "versions", "limits"}. NULL without memory. */
ONNX2IR_C_API const char* onnx2ir_supported_operators(void);
/* All options: a JSON array of {"name", "kind" ("flag", "text" or "list"), "value_name", "summary", "group",
 * "choices"}; an option with choices takes only these texts. */
ONNX2IR_C_API const char* onnx2ir_list_options(void);

#ifdef __cplusplus
}
#endif
#endif
