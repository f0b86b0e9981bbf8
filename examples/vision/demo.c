// SPDX-License-Identifier: Apache-2.0
// The vision demo: five operators whose schemas and kernels are in different languages, called from
// five languages in one process on a photograph.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "c/vision.h"
#include "image.h"
#include "polyglot.h"
#include "report.h"

static const char* const callers[] = {"c", "cpp", "python", "java", "rust"};
static const char* const names[] = {"C", "C++", "Python", "Java", "Rust"};
enum { CALLERS = 5, OUTPUTS = 3 };

// The five operators in order, with the language that wrote each schema.
static const struct {
  const char* name;
  const char* schema_language;
} operators[] = {
    {"vision::to_linear", "C"}, {"vision::gaussian_blur", "C++"}, {"vision::edges", "Rust"},
    {"vision::ink", "Java"},    {"vision::to_srgb", "Python"},
};

static tenon_status run_pipeline(const char* caller, tenon_tensor* image,
                                 tenon_value outputs[OUTPUTS]) {
  char name[64];
  snprintf(name, sizeof name, "vision_%s::pipeline", caller);
  const tenon_op* op = NULL;
  const tenon_status status = tenon_op_find(name, &op);
  if (status != TENON_OK) {
    return status;
  }
  const tenon_value argument = tenon_value_of_tensor(image);
  return tenon_op_call_named(op, &argument, 1, NULL, NULL, 0, outputs, OUTPUTS);
}

static uint64_t digest(const tenon_value outputs[OUTPUTS]) {
  tenon_tensor* tensors[OUTPUTS];
  for (int i = 0; i < OUTPUTS; ++i) tensors[i] = outputs[i].as.tensor;
  return report_digest(tensors, OUTPUTS);
}

// Prints each dispatch of a pipeline run: depth, key, language and kernel; and times the operators.
typedef struct profile_log {
  int print;
  int last;  // index of the operator running, -1 before the first
  double started;
  double ms[5];
} profile_log;

static void on_dispatch(void* ctx, const tenon_profile_event* event) {
  profile_log* log = ctx;
  if (log->print) {
    printf("  %*s%s [%s] -> %s %s%s\n", 2 * (int)event->depth, "", tenon_op_name(event->op),
           tenon_key_name(event->key), report_language(event->language), event->kernel,
           event->redispatch ? " (redispatch)" : "");
    return;
  }
  for (int i = 0; i < 5; ++i) {
    if (strcmp(tenon_op_name(event->op), operators[i].name) == 0 && event->depth == 1) {
      const double now = report_now_ms();
      if (log->last >= 0) log->ms[log->last] += now - log->started;
      log->last = i;
      log->started = now;
    }
  }
}

static tenon_status print_who_ran(tenon_tensor* image) {
  profile_log log;
  memset(&log, 0, sizeof log);
  log.last = -1;
  tenon_value outputs[OUTPUTS];
  memset(outputs, 0, sizeof outputs);
  tenon_status status = tenon_profile_set_listener(&on_dispatch, &log, NULL);
  if (status == TENON_OK) status = run_pipeline("c", image, outputs);
  if (log.last >= 0) log.ms[log.last] += report_now_ms() - log.started;
  tenon_profile_set_listener(NULL, NULL, NULL);
  tenon_value_clear_n(outputs, OUTPUTS);
  if (status != TENON_OK) {
    return status;
  }
  printf("\n%-24s %-8s %-8s %9s  registered at\n", "operator", "schema", "kernel", "ms");
  for (int i = 0; i < 5; ++i) {
    const tenon_op* op = NULL;
    tenon_slot_info slot;
    memset(&slot, 0, sizeof slot);
    slot.struct_size = sizeof slot;
    status = tenon_op_find(operators[i].name, &op);
    if (status == TENON_OK) status = tenon_introspect_get_slot(op, TENON_KEY_CPU, &slot);
    if (status != TENON_OK) {
      return status;
    }
    const char* file = strrchr(slot.file, '/');
    printf("%-24s %-8s %-8s %9.2f  %s:%d\n", operators[i].name, operators[i].schema_language,
           report_language(slot.language), log.ms[i], file != NULL ? file + 1 : slot.file,
           slot.line);
  }
  return TENON_OK;
}

static tenon_status print_profile(tenon_tensor* image) {
  profile_log log;
  memset(&log, 0, sizeof log);
  log.print = 1;
  tenon_value outputs[OUTPUTS];
  memset(outputs, 0, sizeof outputs);
  printf("\ncall profile of vision_python::pipeline:\n");
  tenon_status status = tenon_profile_set_listener(&on_dispatch, &log, NULL);
  if (status == TENON_OK) status = run_pipeline("python", image, outputs);
  tenon_profile_set_listener(NULL, NULL, NULL);
  tenon_value_clear_n(outputs, OUTPUTS);
  return status;
}

static tenon_status write_pictures(const char* folder, const tenon_value outputs[OUTPUTS]) {
  static const char* const names[OUTPUTS] = {"blurred.png", "edges.png", "result.png"};
  tenon_status status = TENON_OK;
  for (int i = 0; i < OUTPUTS && status == TENON_OK; ++i) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    status = image_write(path, outputs[i].as.tensor);
    if (status == TENON_OK) printf("wrote %s\n", path);
  }
  return status;
}

// Calls the pipeline from each language and compares the results bit by bit.
static tenon_status run_callers(tenon_tensor* image, const char* folder, int* out_equal) {
  uint64_t first = 0;
  *out_equal = 1;
  printf("%-8s %9s  bits of the three results\n", "caller", "ms");
  for (int i = 0; i < CALLERS; ++i) {
    tenon_value outputs[OUTPUTS];
    memset(outputs, 0, sizeof outputs);
    const double start = report_now_ms();
    tenon_status status = run_pipeline(callers[i], image, outputs);
    const double ms = report_now_ms() - start;
    if (status != TENON_OK) {
      return status;
    }
    const uint64_t bits = digest(outputs);
    if (i == 0) first = bits;
    *out_equal = *out_equal && bits == first && bits != 0;
    printf("%-8s %9.2f  %016" PRIx64 "%s\n", names[i], ms, bits,
           bits == first ? "" : "  DIFFERENT");
    if (i == 0) status = write_pictures(folder, outputs);
    tenon_value_clear_n(outputs, OUTPUTS);
    if (status != TENON_OK) {
      return status;
    }
  }
  return TENON_OK;
}

static tenon_status start_all(void) {
  tenon_plugin* plugin = NULL;
  tenon_status status = vision_c_register();
  if (status == TENON_OK) status = tenon_plugin_load(VISION_CPP_PLUGIN, &plugin);
  if (status == TENON_OK) status = tenon_plugin_load(VISION_RUST_PLUGIN, &plugin);
  if (status == TENON_OK) status = polyglot_start_python(VISION_PYTHON_PATH, "vision");
  if (status == TENON_OK) {
    status = polyglot_start_java(VISION_CLASSPATH, VISION_JAVA_LIBRARY_PATH, "Vision");
  }
  return status;
}

int main(int argc, char** argv) {
  if (argc > 2 || (argc == 2 && strcmp(argv[1], "--help") == 0)) {
    fprintf(stderr,
            "usage: %s [IMAGE]\n"
            "Runs five operators in five languages on a PNG or JPEG (default: %s),\n"
            "writes the pictures into $TENON_DEMO_OUTPUT (default: demo), then runs the matrix.\n",
            argv[0], VISION_IMAGE);
    return argc == 2 ? 0 : 2;
  }
  const char* path = argc == 2 ? argv[1] : VISION_IMAGE;
  const char* folder = getenv("TENON_DEMO_OUTPUT");
  folder = folder != NULL && *folder != 0 ? folder : "demo";
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "demo: %s: %s\n", folder, strerror(errno));
    return 1;
  }
  tenon_tensor* image = NULL;
  int equal = 0;
  tenon_status status = image_read(path, &image);
  if (status == TENON_OK) status = start_all();
  if (status == TENON_OK) status = run_callers(image, folder, &equal);
  if (status == TENON_OK) status = print_who_ran(image);
  if (status == TENON_OK) status = print_profile(image);
  tenon_tensor_release(image);
  if (status != TENON_OK) {
    polyglot_print_error("demo");
    return 1;
  }
  if (polyglot_stop_java("Vision") != TENON_OK || polyglot_stop_python("vision") != TENON_OK) {
    polyglot_print_error("demo");
    return 1;
  }
  vision_c_unregister();
  printf("\nresults from five callers: %s\n\n", equal ? "bit-identical" : "DIFFERENT");
  fflush(stdout);
  if (!equal) {
    return 1;
  }
  // The matrix needs a new process, because a process can start only one Java VM.
  execl(VISION_MATRIX, VISION_MATRIX, (char*)NULL);
  fprintf(stderr, "demo: %s: %s\n", VISION_MATRIX, strerror(errno));
  return 1;
}
