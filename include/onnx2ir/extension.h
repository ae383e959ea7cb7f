/* The interface between onnx2ir and a library with translators of operators (--extension, Options::extensions), in C. In C++ use
 * <onnx2ir/extension.hpp>. The library needs only these headers; it is not linked with onnx2ir. docs/extensions.md has an example.
 *
 * The library exports the two functions at the end. No function of onnx2ir here throws. Those of the library must not either: an
 * exception that leaves the library can end the process.
 * What is here stays as it is while ONNX2IR_EXTENSION_VERSION is the same; functions may be added at the ends of the tables.
 */
#ifndef ONNX2IR_EXTENSION_H
#define ONNX2IR_EXTENSION_H

#include <stddef.h>
#include <stdint.h>

#define ONNX2IR_EXTENSION_VERSION 1

#if defined(__GNUC__)
#define ONNX2IR_EXTENSION_API __attribute__((visibility("default")))
#else
#define ONNX2IR_EXTENSION_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A text in UTF-8 without a terminating zero byte. Texts, lists and values that onnx2ir returns are valid until the translator returns. */
typedef struct onnx2ir_text {
  const char* data;
  size_t size;
} onnx2ir_text;

/* The node that is being converted. */
typedef struct onnx2ir_node onnx2ir_node;
/* A tensor of the converted graph, for the current node; 0: no tensor. */
typedef uint32_t onnx2ir_value;

typedef enum onnx2ir_attribute_kind {
  ONNX2IR_ABSENT = 0,
  ONNX2IR_INTEGER = 1,
  ONNX2IR_REAL = 2,
  ONNX2IR_TEXT = 3,
  ONNX2IR_INTEGERS = 4,
  ONNX2IR_REALS = 5,
  ONNX2IR_TEXTS = 6,
  ONNX2IR_TENSOR = 7,
  ONNX2IR_OTHER = 8 /* a graph, a type, or a list of tensors, graphs or types */
} onnx2ir_attribute_kind;

/* An attribute of the node, or of an operation to emit. A flag of an operation is the integer 0 or 1, an element type its name in the
 * IR ("f32"). */
typedef struct onnx2ir_attribute {
  onnx2ir_text name;
  int32_t kind; /* onnx2ir_attribute_kind */
  size_t count; /* the number of elements; 1 if it is not a list */
  const int64_t* integers;
  const double* reals;
  const onnx2ir_text* texts;
} onnx2ir_attribute;

/* The functions for a translator. The first error becomes the error of the node; after it, functions that can fail have no effect and
 * return 0 or an empty text. Those that return an int return 0 for an error or for "no". */
typedef struct onnx2ir_node_functions {
  size_t size; /* of this table in bytes */

  /* The node: its operator, domain ("" is ONNX's own), name, and the imported version of the domain. */
  onnx2ir_text (*op_type)(onnx2ir_node* node);
  onnx2ir_text (*domain)(onnx2ir_node* node);
  onnx2ir_text (*name)(onnx2ir_node* node);
  int64_t (*opset)(onnx2ir_node* node);

  /* Inputs. An omitted input in the middle counts; has_input returns 0 for it, and input is an error. */
  size_t (*input_count)(onnx2ir_node* node);
  int (*has_input)(onnx2ir_node* node, size_t index);
  onnx2ir_value (*input)(onnx2ir_node* node, size_t index);

  /* Outputs. An output without a name has no uses, and need not be set. */
  size_t (*output_count)(onnx2ir_node* node);
  int (*has_output)(onnx2ir_node* node, size_t index);
  void (*set_output)(onnx2ir_node* node, size_t index, onnx2ir_value value);

  /* An attribute of the node, which counts as read: attributes that are never read cause a warning. If there is none, the kind is
   * ONNX2IR_ABSENT. */
  onnx2ir_attribute (*attribute)(onnx2ir_node* node, onnx2ir_text name);
  /* The attribute of kind ONNX2IR_TENSOR as a constant. */
  onnx2ir_value (*tensor)(onnx2ir_node* node, onnx2ir_text name);
  /* The name in the IR of an ONNX element type (TensorProto.DataType): "f32" for 1. */
  onnx2ir_text (*element_type)(onnx2ir_node* node, int64_t onnx_type);

  /* What is known of a tensor at conversion time: its element type, its rank and sizes (-1: known only at run time), and its
   * elements. known_* return 1 if all elements are known; the pointer is then valid until the translator returns. */
  onnx2ir_text (*type_of)(onnx2ir_node* node, onnx2ir_value value);
  int64_t (*rank_of)(onnx2ir_node* node, onnx2ir_value value);
  int64_t (*size_of_axis)(onnx2ir_node* node, onnx2ir_value value, size_t axis);
  int (*known_integers)(onnx2ir_node* node, onnx2ir_value value, const int64_t** elements, size_t* count);
  int (*known_reals)(onnx2ir_node* node, onnx2ir_value value, const double** elements, size_t* count);

  /* Constants of an element type of the IR and a shape: from numbers, which are rounded to nearest even; from integers, which must
   * fit; from bytes, which are the elements in C order, little-endian. */
  onnx2ir_value (*reals)(onnx2ir_node* node, onnx2ir_text type, const int64_t* shape, size_t rank, const double* elements, size_t count);
  onnx2ir_value (*integers)(onnx2ir_node* node, onnx2ir_text type, const int64_t* shape, size_t rank, const int64_t* elements,
                            size_t count);
  onnx2ir_value (*bytes)(onnx2ir_node* node, onnx2ir_text type, const int64_t* shape, size_t rank, const void* data, size_t size);

  /* Emits an operation of the IR ("MatMul"), of those that need no bodies or variables, and writes its `output_count` outputs to
   * `outputs`. OpenVINO's inference, which onnx2ir has as well, gives types and shapes. Returns 1 if the operation accepts inputs and
   * attributes. */
  int (*emit)(onnx2ir_node* node, onnx2ir_text operation, const onnx2ir_value* inputs, size_t input_count,
              const onnx2ir_attribute* attributes, size_t attribute_count, onnx2ir_value* outputs, size_t output_count);

  /* Ends the conversion of the node with an error: the reason, and what the user can do (may be empty). */
  void (*fail)(onnx2ir_node* node, onnx2ir_text reason, onnx2ir_text hint);
} onnx2ir_node_functions;

/* Converts a node: emits operations and sets all outputs that have a name. It may be called from several threads at once, and more
 * than once for a node, so that it must depend on the node alone. */
typedef void (*onnx2ir_translate)(onnx2ir_node* node, const onnx2ir_node_functions* functions, void* data);

/* Where the library registers its translators. */
typedef struct onnx2ir_registry {
  size_t size; /* of this struct in bytes */
  void* table;
  /* A translator for an operator from version `since` of its domain on; `data` is passed to each call. Of several translators of an
   * operator, the one with the highest version that is not above the imported one is used. The texts are copied. */
  void (*add)(void* table, onnx2ir_text domain, onnx2ir_text op_type, int64_t since, onnx2ir_translate translate, void* data);
  /* The library cannot be used, with the reason. */
  void (*fail)(void* table, onnx2ir_text reason);
} onnx2ir_registry;

/* Exported by the library: returns ONNX2IR_EXTENSION_VERSION; registers the translators, once for each conversion. */
ONNX2IR_EXTENSION_API int onnx2ir_extension_version(void);
ONNX2IR_EXTENSION_API void onnx2ir_extension_register(const onnx2ir_registry* registry);

#ifdef __cplusplus
}
#endif
#endif
