// SPDX-License-Identifier: Apache-2.0
// The digits demo: a network whose layer, activation, loss and optimizer are in four languages
// learns to read handwritten digits, by a training loop in C and by one in each other language.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "c/digits.h"
#include "picture.h"
#include "polyglot.h"
#include "report.h"

enum { COUNT = 1797, TRAINING = 1437, HELD_OUT = COUNT - TRAINING };
enum { CALLERS = 5, SEED = 3, EPOCHS = 40, WANTED = 96 };  // per cent

static const char* const callers[CALLERS] = {"c", "cpp", "python", "java", "rust"};
static const char* const names[CALLERS] = {"C", "C++", "Python", "Java", "Rust"};

// The operators, with the language that wrote each schema.
static const struct {
  const char* name;
  const char* schema_language;
} operators[] = {
    {"digits::parameters", "Rust"},   {"digits::linear", "C"},   {"digits::leaky_relu", "Python"},
    {"digits::cross_entropy", "C++"}, {"digits::step_", "Java"},
};

// All digits; the tensors use this memory.
static struct {
  uint8_t pixels[COUNT][64];
  uint8_t labels[COUNT];
  float images[COUNT][64];
  int64_t wanted[COUNT];
} data;

static tenon_status read_digits(const char* path) {
  FILE* file = fopen(path, "rb");
  int count = 0;
  while (file != NULL && count < COUNT && fread(data.pixels[count], 64, 1, file) == 1 &&
         fread(&data.labels[count], 1, 1, file) == 1) {
    for (int i = 0; i < 64; ++i) data.images[count][i] = (float)data.pixels[count][i] / 16;
    data.wanted[count] = data.labels[count];
    ++count;
  }
  if (file != NULL) fclose(file);
  if (count == COUNT) {
    return TENON_OK;
  }
  char message[512];
  snprintf(message, sizeof message, "digits: %s must hold %d digits, got %d", path, COUNT, count);
  return tenon_error_raise(TENON_ERROR_SYSTEM, message);
}

// Results of a training loop.
typedef struct run {
  tenon_value results[2];  // parameters and losses
  double ms;
  double right;  // percentage of the held-out digits that are read correctly
  int64_t guesses[HELD_OUT];
} run;

static tenon_tensor* const* parameters_of(const run* r) { return r->results[0].as.list.data; }

static tenon_status train(const char* caller, run* r) {
  char name[64];
  snprintf(name, sizeof name, "digits_%s::train", caller);
  const int64_t sizes[2] = {TRAINING, 64};
  tenon_tensor *images = NULL, *labels = NULL;
  const tenon_op* op = NULL;
  tenon_status status = tenon_op_find(name, &op);
  if (status == TENON_OK) {
    status =
        tenon_tensor_wrap(data.images, TENON_DTYPE_F32, NULL, 2, sizes, NULL, NULL, NULL, &images);
  }
  if (status == TENON_OK) {
    status =
        tenon_tensor_wrap(data.wanted, TENON_DTYPE_I64, NULL, 1, sizes, NULL, NULL, NULL, &labels);
  }
  if (status == TENON_OK) {
    const tenon_value args[4] = {tenon_value_of_tensor(images), tenon_value_of_tensor(labels),
                                 tenon_value_of_int(SEED), tenon_value_of_int(EPOCHS)};
    const double start = report_now_ms();
    status = tenon_op_call_named(op, args, 4, NULL, NULL, 0, r->results, 2);
    r->ms = report_now_ms() - start;
  }
  tenon_tensor_release(labels);
  tenon_tensor_release(images);
  return status;
}

static tenon_status test(run* r) {
  const int64_t sizes[2] = {HELD_OUT, 64};
  tenon_tensor *images = NULL, *logits = NULL;
  void* rows = NULL;
  tenon_status status = tenon_tensor_wrap(data.images[TRAINING], TENON_DTYPE_F32, NULL, 2, sizes,
                                          NULL, NULL, NULL, &images);
  if (status == TENON_OK) status = digits_logits(images, parameters_of(r), &logits);
  if (status == TENON_OK) status = tenon_tensor_data(logits, &rows);
  int right = 0;
  for (int i = 0; i < HELD_OUT && status == TENON_OK; ++i) {
    const float* const row = (const float*)rows + 10 * i;
    int largest = 0;
    for (int digit = 1; digit < 10; ++digit) {
      if (row[digit] > row[largest]) largest = digit;
    }
    r->guesses[i] = largest;
    right += largest == data.labels[TRAINING + i];
  }
  r->right = 100.0 * right / HELD_OUT;
  tenon_tensor_release(logits);
  tenon_tensor_release(images);
  return status;
}

static tenon_status write_pictures(const char* folder, const run* r) {
  const picture_digits digits = {HELD_OUT, (const uint8_t(*)[64]) & data.pixels[TRAINING],
                                 &data.labels[TRAINING], r->guesses};
  char path[1024];
  void* losses = NULL;
  snprintf(path, sizeof path, "%s/loss.svg", folder);
  tenon_status status = tenon_tensor_data(r->results[1].as.tensor, &losses);
  if (status == TENON_OK) status = picture_write_losses(path, losses, EPOCHS);
  if (status == TENON_OK) printf("wrote %s\n", path);
  snprintf(path, sizeof path, "%s/digits.svg", folder);
  if (status == TENON_OK) status = picture_write_digits(path, &digits);
  if (status == TENON_OK) printf("wrote %s\n", path);
  return status;
}

static tenon_status last_loss(const run* r, double* out_loss) {
  void* losses = NULL;
  const tenon_status status = tenon_tensor_data(r->results[1].as.tensor, &losses);
  if (status == TENON_OK) *out_loss = ((const double*)losses)[EPOCHS - 1];
  return status;
}

// Trains in each language with the same seed and compares the weights bit by bit.
static tenon_status run_callers(const char* folder, int* out_good) {
  uint64_t first = 0;
  *out_good = 1;
  printf("%-8s %9s %9s %9s  bits of the weights\n", "loop in", "ms", "loss", "right");
  for (int i = 0; i < CALLERS; ++i) {
    run r;
    double loss = 0;
    memset(&r, 0, sizeof r);
    tenon_status status = train(callers[i], &r);
    if (status == TENON_OK) status = test(&r);
    if (status == TENON_OK) status = last_loss(&r, &loss);
    if (status == TENON_OK) {
      const uint64_t bits = report_digest(parameters_of(&r), r.results[0].count);
      if (i == 0) first = bits;
      *out_good = *out_good && bits == first && bits != 0 && r.right >= WANTED;
      printf("%-8s %9.0f %9.5f %7.1f %%  %016" PRIx64 "%s\n", names[i], r.ms, loss, r.right, bits,
             bits == first ? "" : "  DIFFERENT");
      if (i == 0) status = write_pictures(folder, &r);
    }
    tenon_value_clear_n(r.results, 2);
    if (status != TENON_OK) {
      return status;
    }
  }
  return TENON_OK;
}

static tenon_status print_operators(void) {
  printf("\n%-24s %-8s %-8s %-8s  registered at\n", "operator", "schema", "kernel", "gradient");
  for (size_t i = 0; i < sizeof operators / sizeof operators[0]; ++i) {
    const tenon_op* op = NULL;
    tenon_slot_info kernel, gradient;
    memset(&kernel, 0, sizeof kernel);
    memset(&gradient, 0, sizeof gradient);
    kernel.struct_size = sizeof kernel;
    gradient.struct_size = sizeof gradient;
    tenon_status status = tenon_op_find(operators[i].name, &op);
    if (status == TENON_OK) status = tenon_introspect_get_slot(op, TENON_KEY_CPU, &kernel);
    if (status == TENON_OK) {
      status = tenon_introspect_get_slot(op, TENON_KEY_AUTOGRAD_CPU, &gradient);
    }
    if (status != TENON_OK) {
      return status;
    }
    const int has_gradient = gradient.provenance != TENON_PROVENANCE_BACKEND_FALLBACK;
    const char* const file = strrchr(kernel.file, '/');
    printf("%-24s %-8s %-8s %-8s  %s:%d\n", operators[i].name, operators[i].schema_language,
           report_language(kernel.language),
           has_gradient ? report_language(gradient.language) : "-",
           file != NULL ? file + 1 : kernel.file, kernel.line);
  }
  return TENON_OK;
}

static tenon_status start_all(void) {
  tenon_plugin* plugin = NULL;
  tenon_status status = digits_c_register();
  if (status == TENON_OK) status = tenon_plugin_load(DIGITS_CPP_PLUGIN, &plugin);
  if (status == TENON_OK) status = tenon_plugin_load(DIGITS_RUST_PLUGIN, &plugin);
  if (status == TENON_OK) status = polyglot_start_python(DIGITS_PYTHON_PATH, "digits");
  if (status == TENON_OK) {
    status = polyglot_start_java(DIGITS_CLASSPATH, DIGITS_JAVA_LIBRARY_PATH, "Digits");
  }
  return status;
}

int main(int argc, char** argv) {
  if (argc > 1) {
    fprintf(stderr,
            "usage: %s\n"
            "Trains a network on handwritten digits, with operators and loops in five languages,\n"
            "and draws what it learned into $TENON_DEMO_OUTPUT (default: demo).\n",
            argv[0]);
    return strcmp(argv[1], "--help") == 0 ? 0 : 2;
  }
  const char* folder = getenv("TENON_DEMO_OUTPUT");
  folder = folder != NULL && *folder != 0 ? folder : "demo";
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "digits: %s: %s\n", folder, strerror(errno));
    return 1;
  }
  int good = 0;
  tenon_status status = read_digits(DIGITS_FILE);
  if (status == TENON_OK) status = start_all();
  if (status == TENON_OK) status = run_callers(folder, &good);
  if (status == TENON_OK) status = print_operators();
  if (status == TENON_OK) status = polyglot_stop_java("Digits");
  if (status == TENON_OK) status = polyglot_stop_python("digits");
  if (status != TENON_OK) {
    polyglot_print_error("digits");
    return 1;
  }
  digits_c_unregister();
  const int64_t live = tenon_introspect_live_count(TENON_HANDLE_TENSOR) +
                       tenon_introspect_live_count(TENON_HANDLE_NODE);
  printf("\nweights from five loops: %s; tensors and nodes left: %d\n\n",
         good ? "bit-identical" : "DIFFERENT, or below what was wanted", (int)live);
  return good && live == 0 ? 0 : 1;
}
