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

int main(int argc, char** argv) {
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
  if (strlen(onnx2ir_conversion_graph(conversion)) == 0) return fail("graph", "empty");
  if (strstr(onnx2ir_conversion_html(conversion), "<!DOCTYPE html>") == NULL) return fail("html", "not a page");
  onnx2ir_conversion* saved = onnx2ir_read_ir(path, NULL);
  if (onnx2ir_conversion_status(saved) != ONNX2IR_OK) return fail("read_ir", onnx2ir_conversion_text(saved));
  const char* differences = onnx2ir_conversion_diff(saved, conversion);
  if (differences == NULL || differences[0] != 0) return fail("diff", differences == NULL ? "NULL" : differences);
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
