/* Uses each function of the C interface. Usage: main MODEL FOLDER. Prints what the test compares. */
#include <onnx2ir/onnx2ir.h>
#include <stdio.h>
#include <string.h>

static int stages = 0;

static int count_stages(const char* stage, double fraction, void* data) {
  if (stage != NULL && fraction >= 0 && fraction <= 1) ++stages;
  return *(int*)data;
}

static int fail(const char* what, const char* why) {
  fprintf(stderr, "%s: %s\n", what, why);
  return 1;
}

/* Copies what is written to memory, of which `left` bytes are free. */
struct target {
  char* next;
  size_t left;
};

static int append(const void* bytes, size_t size, void* user) {
  struct target* target = user;
  if (size > target->left) return 0;
  memcpy(target->next, bytes, size);
  target->next += size;
  target->left -= size;
  return 1;
}

/* Counts layers, and checks that each one reads only earlier ones. */
struct walk {
  uint64_t layers;
  uint64_t loops;
  uint64_t in_body;
  uint64_t constant_bytes;
  int is_wrong;
};

static int visit(const onnx2ir_layer* layer, void* user) {
  struct walk* walk = user;
  unsigned char byte = 0;
  size_t i = 0;
  size_t output = 0;
  if (onnx2ir_layer_id(layer) != walk->layers++) walk->is_wrong = 1;
  for (i = 0; i < onnx2ir_layer_input_count(layer); ++i) {
    if (onnx2ir_layer_input(layer, i, &output) >= onnx2ir_layer_id(layer)) walk->is_wrong = 1;
  }
  for (i = 0; i < onnx2ir_layer_output_count(layer); ++i) {
    if (strlen(onnx2ir_layer_output_type(layer, i)) == 0) walk->is_wrong = 1;
    if (onnx2ir_layer_output_rank(layer, i) > 0 && onnx2ir_layer_output_size(layer, i, 0) < -1) walk->is_wrong = 1;
  }
  if (strcmp(onnx2ir_layer_type(layer), "Loop") == 0) ++walk->loops;
  if (strlen(onnx2ir_layer_graph(layer)) != 0) ++walk->in_body;
  if (strncmp(onnx2ir_layer_opset(layer), "opset", 5) != 0 || strlen(onnx2ir_layer_name(layer)) == 0) walk->is_wrong = 1;
  if (strcmp(onnx2ir_layer_type(layer), "Const") == 0) {
    uint64_t size = onnx2ir_layer_constant_size(layer);
    walk->constant_bytes += size;
    if (onnx2ir_layer_attribute(layer, "element_type") == NULL && onnx2ir_layer_attribute(layer, "no such") != NULL) walk->is_wrong = 1;
    if (onnx2ir_layer_constant_read(layer, size - 1, &byte, 1) != ONNX2IR_OK) walk->is_wrong = 1;
    if (onnx2ir_layer_constant_read(layer, size, &byte, 1) != ONNX2IR_FAILED) walk->is_wrong = 1;
  }
  if (strstr(onnx2ir_layer_json(layer), "\"outputs\"") == NULL) walk->is_wrong = 1;
  return 1;
}

static int64_t no_external_data(const char* location, void* user) {
  (void)location;
  (void)user;
  return -1;
}
static int read_nothing(const char* location, uint64_t offset, void* target, size_t size, void* user) {
  (void)location;
  (void)offset;
  (void)target;
  (void)size;
  (void)user;
  return 0;
}

int main(int argc, char** argv) {
  static char written[1 << 20];
  struct target target;
  struct walk walk = {0, 0, 0, 0, 0};
  char path[4096];
  char problem[256];
  int cancel = 0;
  size_t size = 0;
  if (argc != 3) return fail("usage", "main MODEL FOLDER");
  if (onnx2ir_abi_version() != ONNX2IR_ABI_VERSION) return fail("version", "another ABI");
  printf("version %s\n", onnx2ir_version());

  onnx2ir_options* options = onnx2ir_options_new();
  if (onnx2ir_options_set(options, "target-runtimes", "2025.4") != ONNX2IR_FAILED) return fail("options", "misspelt name");
  printf("%s\n", onnx2ir_options_problem(options));
  if (onnx2ir_options_set(options, "threads", "two") != ONNX2IR_FAILED) return fail("options", "wrong value");
  if (onnx2ir_options_set(options, "input", "trip_count->5,cond->true") != ONNX2IR_OK) return fail("options", onnx2ir_options_problem(options));
  if (onnx2ir_options_set(options, "sync", "never") != ONNX2IR_OK) return fail("options", onnx2ir_options_problem(options));
  onnx2ir_options_set_progress(options, count_stages, &cancel);
  onnx2ir_options_set_external_data(options, no_external_data, read_nothing, NULL);

  onnx2ir_conversion* conversion = onnx2ir_convert_file(argv[1], options);
  if (onnx2ir_conversion_status(conversion) != ONNX2IR_OK) return fail("convert", onnx2ir_conversion_text(conversion));
  if (stages == 0) return fail("progress", "no stage");
  printf("%s\n", onnx2ir_conversion_json(conversion));
  snprintf(path, sizeof path, "%s/model.xml", argv[2]);
  if (onnx2ir_conversion_save(conversion, path, NULL, options) != ONNX2IR_OK) return fail("save", onnx2ir_conversion_text(conversion));
  if (onnx2ir_check_files(path, NULL, problem, sizeof problem) != ONNX2IR_OK) return fail("check", problem);
  const char* xml = onnx2ir_conversion_xml(conversion, &size);
  if (xml == NULL || strlen(xml) != size || strstr(xml, "<net ") == NULL) return fail("xml", "not an IR");
  if (onnx2ir_conversion_weights(conversion, &size) == NULL) return fail("weights", "none");
  target.next = written;
  target.left = sizeof written;
  if (onnx2ir_conversion_write(conversion, append, &target, append, &target, options) != ONNX2IR_OK)
    return fail("write", onnx2ir_conversion_text(conversion));
  if ((size_t)(target.next - written) != size + strlen(xml)) return fail("write", "another number of bytes");
  if (memcmp(target.next - strlen(xml), xml, strlen(xml)) != 0) return fail("write", "another XML");
  target.left = 10;
  if (onnx2ir_conversion_write(conversion, append, &target, append, &target, NULL) != ONNX2IR_FAILED) return fail("write", "no error");
  if (onnx2ir_conversion_visit_layers(conversion, visit, &walk) != ONNX2IR_OK) return fail("layers", onnx2ir_conversion_text(conversion));
  if (walk.is_wrong || walk.loops == 0 || walk.in_body == 0 || walk.constant_bytes == 0) return fail("layers", "wrong description");
  const char* counts = onnx2ir_conversion_stats(conversion, "y[0]=1");
  if (counts == NULL || strstr(counts, "\"Loop\"") == NULL) return fail("stats", onnx2ir_conversion_text(conversion));
  if (onnx2ir_conversion_stats(conversion, "z=1") != NULL) return fail("stats", "unknown dimension");
  const char* page = onnx2ir_conversion_html_with_sizes(conversion, "y[0]=1");
  if (page == NULL || strstr(page, "\"statistics\":{") == NULL) return fail("page", onnx2ir_conversion_text(conversion));
  if (onnx2ir_conversion_html_with_sizes(conversion, "z=1") != NULL) return fail("page", "unknown dimension");
  if (strlen(onnx2ir_conversion_graph(conversion)) == 0) return fail("graph", "empty");
  if (strstr(onnx2ir_conversion_html(conversion), "<!DOCTYPE html>") == NULL) return fail("html", "not a page");
  onnx2ir_conversion* saved = onnx2ir_read_ir(path, NULL);
  if (onnx2ir_conversion_status(saved) != ONNX2IR_OK) return fail("read_ir", onnx2ir_conversion_text(saved));
  const char* differences = onnx2ir_conversion_diff(saved, conversion);
  if (differences == NULL || differences[0] != 0) return fail("diff", differences == NULL ? "NULL" : differences);
  differences = onnx2ir_conversion_differences(saved, conversion, 1);
  if (differences == NULL || strcmp(differences, "[]") != 0) return fail("differences", differences == NULL ? "NULL" : differences);
  onnx2ir_conversion_delete(saved);
  snprintf(path, sizeof path, "%s/no/such/folder/model.xml", argv[2]);
  if (onnx2ir_conversion_save(conversion, path, NULL, NULL) != ONNX2IR_FAILED) return fail("save", "into no folder");
  if (strstr(onnx2ir_conversion_text(conversion), "No such file") == NULL) return fail("save", onnx2ir_conversion_text(conversion));
  onnx2ir_conversion_delete(conversion);

  conversion = onnx2ir_convert_bytes("no model", 8, NULL);
  if (onnx2ir_conversion_status(conversion) != ONNX2IR_FAILED) return fail("convert", "no model");
  if (onnx2ir_conversion_xml(conversion, &size) != NULL) return fail("xml", "of no model");
  onnx2ir_conversion_delete(conversion);

  cancel = 1;
  conversion = onnx2ir_convert_file(argv[1], options);
  if (strstr(onnx2ir_conversion_text(conversion), "[cancelled]") == NULL) return fail("cancel", onnx2ir_conversion_text(conversion));
  onnx2ir_conversion_delete(conversion);
  onnx2ir_options_delete(options);

  if (strstr(onnx2ir_supported_operators(), "\"Loop\"") == NULL) return fail("operators", "no Loop");
  if (strstr(onnx2ir_list_options(), "\"compress_to_fp16\"") == NULL) return fail("options", "not listed");
  return 0;
}
