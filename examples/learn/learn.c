// SPDX-License-Identifier: Apache-2.0
// Trains a small network on handwritten digits, with Tenon's operators and a backward pass.
#include <stdio.h>

#include <tenon/ops/aten.h>

enum { EPOCHS = 40, BATCH = 32, COUNT = 1797, TRAINING = 1437 };  // the remaining ones are held out
enum { W1, B1, W2, B2, PARAMETERS };

static unsigned char rows[COUNT][65];  // 64 pixels from 0 to 16, and the label

// The tensors of one step, released together. `status` is the first error: all later calls are
// skipped, so that only the end must check it.
typedef struct tape {
  tenon_status status;
  int count;
  tenon_tensor* tensors[32];
} tape;

// Calls a function whose last parameter receives its result, and stores that on the tape.
#define CALL(t, operator, ...)                                     \
  do {                                                             \
    tenon_tensor* made_ = NULL;                                    \
    if (!(t)->status) (t)->status = operator(__VA_ARGS__, &made_); \
    (t)->tensors[(t)->count++] = made_;                            \
  } while (0)
#define LAST(t) ((t)->tensors[(t)->count - 1])

static void clear(tape* t) {
  while (t->count > 0) tenon_tensor_release(t->tensors[--t->count]);
}

static tenon_tensor* rows_of(tape* t, tenon_tensor* whole, int64_t start, int64_t end) {
  aten_slice_Tensor_options options = aten_slice_Tensor_defaults();
  options.start = &start;
  options.end = &end;
  CALL(t, aten_slice_Tensor, whole, &options);
  return LAST(t);
}

static tenon_tensor* logits(tape* t, tenon_tensor* x, tenon_tensor* const* p) {
  CALL(t, aten_mm, x, p[W1]);
  CALL(t, aten_add_Tensor, LAST(t), p[B1], NULL);
  CALL(t, aten_relu, LAST(t));
  CALL(t, aten_mm, LAST(t), p[W2]);
  CALL(t, aten_add_Tensor, LAST(t), p[B2], NULL);
  return LAST(t);
}

static tenon_tensor* cross_entropy(tape* t, tenon_tensor* logits, tenon_tensor* target) {
  const int64_t dim = 1;
  aten_amax_options across = aten_amax_defaults();
  across.dim = &dim;
  across.dim_count = 1;
  across.keepdim = 1;
  CALL(t, aten_detach, logits);
  CALL(t, aten_amax, LAST(t), &across);
  CALL(t, aten_sub_Tensor, logits, LAST(t), NULL);
  tenon_tensor* const z = LAST(t);
  CALL(t, aten_mul_Tensor, z, target);
  CALL(t, aten_sum_dim_IntList, LAST(t), &dim, 1, NULL);
  tenon_tensor* const wanted = LAST(t);
  CALL(t, aten_exp, z);
  CALL(t, aten_sum_dim_IntList, LAST(t), &dim, 1, NULL);
  CALL(t, aten_log, LAST(t));
  CALL(t, aten_sub_Tensor, LAST(t), wanted, NULL);
  CALL(t, aten_mean, LAST(t), NULL);
  return LAST(t);
}

static void backward(tape* t, tenon_tensor* loss) {
  tenon_backward_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.outputs = &loss;
  options.noutputs = 1;
  if (!t->status) t->status = tenon_backward(&options);
}

static void step(tape* t, tenon_tensor* const* parameters, double rate) {
  tenon_key_guard no_grad;
  if (t->status || (t->status = tenon_grad_mode_enter(TENON_GRAD_MODE_OFF, &no_grad))) return;
  aten_sub__Tensor_options options = aten_sub__Tensor_defaults();
  options.alpha = tenon_value_of_float(rate);
  for (int i = 0; i < PARAMETERS; ++i) {
    CALL(t, tenon_tensor_copy_grad, parameters[i]);
    if (!t->status) t->status = aten_sub__Tensor(parameters[i], LAST(t), &options);
    if (!t->status) t->status = tenon_tensor_set_grad(parameters[i], NULL);
  }
  const tenon_status left = tenon_key_guard_leave(&no_grad);
  if (!t->status) t->status = left;
}

static void train(tape* t, tenon_tensor* images, tenon_tensor* targets,
                  tenon_tensor* const* parameters) {
  for (int epoch = 0; epoch < EPOCHS; ++epoch) {
    const double rate = 0.8 * (EPOCHS - epoch) / EPOCHS;
    for (int64_t start = 0; start < TRAINING && !t->status; start += BATCH) {
      const int64_t end = start + BATCH < TRAINING ? start + BATCH : TRAINING;
      tape batch = {TENON_OK, 0, {NULL}};
      tenon_tensor* const z = logits(&batch, rows_of(&batch, images, start, end), parameters);
      backward(&batch, cross_entropy(&batch, z, rows_of(&batch, targets, start, end)));
      step(&batch, parameters, rate);
      clear(&batch);
      t->status = batch.status;
    }
  }
}

// Wraps the caller's elements in a [rows, columns] tensor without copying.
static tenon_tensor* wrap(tape* t, float* elements, int64_t count, int64_t columns) {
  const int64_t sizes[2] = {count, columns};
  CALL(t, tenon_tensor_wrap, elements, TENON_DTYPE_F32, NULL, 2, sizes, NULL, NULL, NULL);
  return LAST(t);
}

static void make_parameters(tape* t, tenon_tensor** parameters) {
  static const int64_t sizes[PARAMETERS][2] = {{64, 32}, {32, 0}, {32, 10}, {10, 0}};
  static const double bounds[PARAMETERS] = {0.25, 0, 0.3779644730092272,
                                            0};  // sqrt(6 / (in + out))
  tenon_generator* generator = NULL;
  t->status = tenon_generator_new(NULL, 2, &generator);
  for (int i = 0; i < PARAMETERS; ++i) {
    aten_uniform__options range = aten_uniform__defaults();
    range.from = -bounds[i];
    range.to = bounds[i];
    range.generator = generator;
    CALL(t, aten_zeros, sizes[i], sizes[i][1] != 0 ? 2 : 1, NULL);
    parameters[i] = LAST(t);
    if (!t->status && bounds[i] != 0) t->status = aten_uniform_(parameters[i], &range);
    if (!t->status) t->status = tenon_tensor_set_requires_grad(parameters[i], 1);
  }
  tenon_generator_release(generator);
}

static int count_right(tape* t, tenon_tensor* images, tenon_tensor* const* parameters) {
  const int64_t dim = 1;
  aten_argmax_options across = aten_argmax_defaults();
  across.dim = &dim;
  CALL(t, aten_argmax, logits(t, rows_of(t, images, TRAINING, COUNT), parameters), &across);
  void* guesses = NULL;
  if (!t->status) t->status = tenon_tensor_data(LAST(t), &guesses);
  int right = 0;
  for (int i = TRAINING; i < COUNT && !t->status; ++i) {
    right += ((const int64_t*)guesses)[i - TRAINING] == rows[i][64];
  }
  return right;
}

int main(int argc, char** argv) {
  static float pixels[COUNT][64], ones[COUNT][10];  // 1 at the label, 0 elsewhere
  const char* const path = argc > 1 ? argv[1] : "examples/learn/data/digits.bin";
  FILE* file = fopen(path, "rb");
  const size_t got = file != NULL ? fread(rows, sizeof rows[0], COUNT, file) : 0;
  if (file != NULL) fclose(file);
  if (got != COUNT) {
    fprintf(stderr, "learn: %s must hold %d digits, got %zu\n", path, COUNT, got);
    return 1;
  }
  for (int i = 0; i < COUNT; ++i) {
    for (int j = 0; j < 64; ++j) pixels[i][j] = (float)rows[i][j] / 16;
    ones[i][rows[i][64]] = 1;
  }
  tape t = {TENON_OK, 0, {NULL}};
  tenon_tensor* parameters[PARAMETERS];
  make_parameters(&t, parameters);
  tenon_tensor* const images = wrap(&t, &pixels[0][0], COUNT, 64);
  tenon_tensor* const targets = wrap(&t, &ones[0][0], COUNT, 10);
  train(&t, images, targets, parameters);
  const int right = count_right(&t, images, parameters);
  clear(&t);
  if (t.status) {
    tenon_error* error = tenon_error_take();
    fprintf(stderr, "%s\n", tenon_error_format(error));
    tenon_error_release(error);
    return 1;
  }
  printf("%.1f %% of held-out digits are right\n", 100.0 * right / (COUNT - TRAINING));
  return 0;
}
