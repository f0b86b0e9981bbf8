// SPDX-License-Identifier: Apache-2.0
// The C part of the digits demo: the kernel of parameters, the schema of linear, and a training
// loop.
#include "digits.h"

#include <tenon/ops/aten.h>

enum { W1, B1, W2, B2, PARAMETERS };
enum { BATCH = 32 };

static tenon_library* library = NULL;
static tenon_library* caller = NULL;

// Weights and biases of a 64-32-10 network, by Glorot's uniform initialization.
static tenon_status parameters(void* ctx, const tenon_op* op, tenon_keyset keys,
                               tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  static const int64_t sizes[PARAMETERS][2] = {{64, 32}, {32, 0}, {32, 10}, {10, 0}};
  static const double bounds[PARAMETERS] = {0.25, 0, 0.3779644730092272,
                                            0};  // sqrt(6 / (in + out))
  tenon_tensor* made[PARAMETERS] = {NULL};
  tenon_generator* generator = NULL;
  tenon_status status = tenon_generator_new(NULL, (uint64_t)stack->args[0].as.i, &generator);
  for (int i = 0; i < PARAMETERS && status == TENON_OK; ++i) {
    aten_uniform__options range = aten_uniform__defaults();
    range.from = -bounds[i];
    range.to = bounds[i];
    range.generator = generator;
    status = aten_zeros(sizes[i], sizes[i][1] != 0 ? 2 : 1, NULL, &made[i]);
    if (status == TENON_OK && bounds[i] != 0) status = aten_uniform_(made[i], &range);
  }
  if (status == TENON_OK) {
    status = tenon_value_new_list(TENON_TAG_TENSOR_LIST, made, PARAMETERS, &stack->rets[0]);
  }
  for (int i = 0; i < PARAMETERS; ++i) tenon_tensor_release(made[i]);
  tenon_generator_release(generator);
  return status;
}

// The tensors of one step, which are released together. After the first error, all later calls are
// skipped.
typedef struct tape {
  tenon_status status;
  int count;
  tenon_tensor* tensors[16];
} tape;

static void clear(tape* t) {
  while (t->count > 0) tenon_tensor_release(t->tensors[--t->count]);
}

static void call(tape* t, const char* name, const tenon_value* args, int64_t nargs,
                 tenon_value* rets, int64_t nrets) {
  const tenon_op* op = NULL;
  if (t->status == TENON_OK) t->status = tenon_op_find(name, &op);
  if (t->status == TENON_OK) {
    t->status = tenon_op_call_named(op, args, nargs, NULL, NULL, 0, rets, nrets);
  }
}

// Calls an operator of up to three tensors that returns one tensor, which the tape owns.
static tenon_tensor* call_tensors(tape* t, const char* name, tenon_tensor* a, tenon_tensor* b,
                                  tenon_tensor* c) {
  const tenon_value args[3] = {tenon_value_of_tensor(a), tenon_value_of_tensor(b),
                               tenon_value_of_tensor(c)};
  tenon_value result = tenon_value_of_none();
  call(t, name, args, b == NULL ? 1 : c == NULL ? 2 : 3, &result, 1);
  t->tensors[t->count++] = t->status == TENON_OK ? result.as.tensor : NULL;
  return t->tensors[t->count - 1];
}

static tenon_tensor* rows(tape* t, tenon_tensor* whole, int64_t start, int64_t end) {
  aten_slice_Tensor_options options = aten_slice_Tensor_defaults();
  options.start = &start;
  options.end = &end;
  tenon_tensor* made = NULL;
  if (t->status == TENON_OK) t->status = aten_slice_Tensor(whole, &options, &made);
  t->tensors[t->count++] = made;
  return made;
}

static tenon_tensor* logits(tape* t, tenon_tensor* images, tenon_tensor* const* p) {
  tenon_tensor* const sums = call_tensors(t, "digits::linear", images, p[W1], p[B1]);
  tenon_tensor* const hidden = call_tensors(t, "digits::leaky_relu", sums, NULL, NULL);
  return call_tensors(t, "digits::linear", hidden, p[W2], p[B2]);
}

tenon_status digits_logits(tenon_tensor* images, tenon_tensor* const* parameters,
                           tenon_tensor** out_logits) {
  tape t = {TENON_OK, 0, {NULL}};
  *out_logits = tenon_tensor_retain(logits(&t, images, parameters));
  clear(&t);
  return t.status;
}

static void backward(tape* t, tenon_tensor* loss) {
  tenon_backward_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.outputs = &loss;
  options.noutputs = 1;
  if (t->status == TENON_OK) t->status = tenon_backward(&options);
}

static void step(tape* t, tenon_tensor* const* parameters, tenon_tensor* const* velocities,
                 double rate) {
  tenon_key_guard no_grad;
  if (t->status == TENON_OK) t->status = tenon_grad_mode_enter(TENON_GRAD_MODE_OFF, &no_grad);
  if (t->status != TENON_OK) {
    return;
  }
  for (int i = 0; i < PARAMETERS; ++i) {
    tenon_tensor* grad = NULL;
    if (t->status == TENON_OK) t->status = tenon_tensor_copy_grad(parameters[i], &grad);
    const tenon_value args[4] = {tenon_value_of_tensor(parameters[i]),
                                 tenon_value_of_tensor(velocities[i]), tenon_value_of_tensor(grad),
                                 tenon_value_of_float(rate)};
    call(t, "digits::step_", args, 4, NULL, 0);
    if (t->status == TENON_OK) t->status = tenon_tensor_set_grad(parameters[i], NULL);
    tenon_tensor_release(grad);
  }
  const tenon_status left = tenon_key_guard_leave(&no_grad);
  if (t->status == TENON_OK) t->status = left;
}

static double number_of(tape* t, tenon_tensor* loss) {
  tenon_value number = tenon_value_of_none();
  if (t->status == TENON_OK) t->status = aten_item(loss, &number);
  return number.as.f;
}

// Trains on all images once; returns the mean loss.
static double run_epoch(tape* whole, tenon_tensor* images, tenon_tensor* labels,
                        tenon_tensor* const* parameters, tenon_tensor* const* velocities,
                        double rate) {
  const int64_t count = tenon_tensor_numel(labels);
  double total = 0;
  for (int64_t start = 0; start < count && whole->status == TENON_OK; start += BATCH) {
    const int64_t end = start + BATCH < count ? start + BATCH : count;
    tape t = {TENON_OK, 0, {NULL}};
    tenon_tensor* const z = logits(&t, rows(&t, images, start, end), parameters);
    tenon_tensor* const loss =
        call_tensors(&t, "digits::cross_entropy", z, rows(&t, labels, start, end), NULL);
    backward(&t, loss);
    step(&t, parameters, velocities, rate);
    total += number_of(&t, loss) * (double)(end - start);
    clear(&t);
    whole->status = t.status;
  }
  return total / (double)count;
}

static tenon_status train(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  const int64_t epochs = stack->args[3].as.i;
  tape t = {TENON_OK, 0, {NULL}};
  tenon_value made = tenon_value_of_none();
  call(&t, "digits::parameters", &stack->args[2], 1, &made, 1);
  tenon_tensor* const* const weights = made.as.list.data;
  for (int i = 0; i < PARAMETERS && t.status == TENON_OK; ++i) {
    t.status = aten_zeros_like(weights[i], NULL, &t.tensors[t.count++]);
    if (t.status == TENON_OK) t.status = tenon_tensor_set_requires_grad(weights[i], 1);
  }
  tenon_tensor* curve = NULL;
  void* losses = NULL;
  if (t.status == TENON_OK) {
    t.status = tenon_tensor_new(TENON_DTYPE_F64, NULL, 1, &epochs, NULL, &curve);
  }
  if (t.status == TENON_OK) t.status = tenon_tensor_data(curve, &losses);
  for (int64_t epoch = 0; epoch < epochs && t.status == TENON_OK; ++epoch) {
    const double rate = 0.1 * (double)(epochs - epoch) / (double)epochs;
    ((double*)losses)[epoch] =
        run_epoch(&t, stack->args[0].as.tensor, stack->args[1].as.tensor, weights, t.tensors, rate);
  }
  clear(&t);
  stack->rets[0] = made;
  stack->rets[1] = tenon_value_give(tenon_value_of_tensor(curve));
  if (t.status != TENON_OK) tenon_value_clear_n(stack->rets, 2);
  return t.status;
}

static tenon_status implement(tenon_library* owner, const char* name, tenon_key key,
                              tenon_kernel_fn function, int32_t line) {
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = function;
  kernel.language = TENON_LANGUAGE_C;
  kernel.name = name;
  kernel.file = __FILE__;
  kernel.line = line;
  return tenon_library_impl(owner, name, key, &kernel, NULL);
}

static tenon_status register_operators(void) {
  tenon_status status = tenon_library_new(TENON_LIBRARY_FRAGMENT, "digits", TENON_KEY_NONE,
                                          __FILE__, __LINE__, &library);
  if (status == TENON_OK) {
    status = tenon_library_define(library, "linear(Tensor x, Tensor weight, Tensor bias) -> Tensor",
                                  NULL, NULL);
  }
  if (status == TENON_OK) {
    status = implement(library, "parameters", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &parameters,
                       __LINE__);
  }
  return status;
}

static tenon_status register_loop(void) {
  tenon_status status =
      tenon_library_new(TENON_LIBRARY_DEF, "digits_c", TENON_KEY_NONE, __FILE__, __LINE__, &caller);
  if (status == TENON_OK) {
    status = tenon_library_define(
        caller, "train(Tensor images, Tensor labels, int seed, int epochs) -> (Tensor[], Tensor)",
        NULL, NULL);
  }
  if (status == TENON_OK) {
    status = implement(caller, "train", TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD, &train, __LINE__);
  }
  return status;
}

tenon_status digits_c_register(void) {
  tenon_status status = register_operators();
  if (status == TENON_OK) status = register_loop();
  if (status != TENON_OK) digits_c_unregister();
  return status;
}

void digits_c_unregister(void) {
  tenon_library_release(caller);
  tenon_library_release(library);
  caller = NULL;
  library = NULL;
}
