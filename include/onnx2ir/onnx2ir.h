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
/* The graph as text, with a hash for each large constant; NULL if a file of the model cannot be read any more. */
ONNX2IR_C_API const char* onnx2ir_conversion_graph(onnx2ir_conversion* conversion);
/* The graph as an HTML page for a web browser, without references to other files; NULL as above. */
ONNX2IR_C_API const char* onnx2ir_conversion_html(onnx2ir_conversion* conversion);
/* The differences between two models, one line each, empty if they are equal; NULL if a file of a model cannot be read any
 * more. The text belongs to `before`. */
ONNX2IR_C_API const char* onnx2ir_conversion_diff(onnx2ir_conversion* before, const onnx2ir_conversion* after);

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
