// SPDX-License-Identifier: Apache-2.0
// Wrong calls of autograd: leaves, formulas, nodes and backward passes.
#include "badinput.h"

// Returns the tensor that a field of the case names: "tensor", "other", "meta", "undefined" or
// "NULL".
static tenon_tensor* given_tensor(const bad_world* world, const char* name) {
  if (strcmp(name, "NULL") == 0) return NULL;
  if (strcmp(name, "undefined") == 0) return tenon_tensor_undefined();
  if (strcmp(name, "other") == 0) return world->other;
  if (strcmp(name, "meta") == 0) return world->meta;
  assert_string_equal(name, "tensor");
  return world->tensor;
}

// Makes a vector of `count` elements; if `leaf`, it requires gradients.
static tenon_tensor* fresh(tenon_dtype dtype, int64_t count, int32_t leaf) {
  tenon_tensor* tensor = NULL;
  assert_ok(tenon_tensor_new(dtype, NULL, 1, &count, NULL, &tensor));
  if (leaf) assert_ok(tenon_tensor_set_requires_grad(tensor, 1));
  return tensor;
}

// WHAT: "NULL", "undefined" or "ints"
static tenon_status set_requires_grad(const bad_world* world, const bad_case* one) {
  if (strcmp(one->args[0], "ints") != 0) {
    return tenon_tensor_set_requires_grad(given_tensor(world, one->args[0]), 1);
  }
  tenon_tensor* ints = fresh(TENON_DTYPE_I64, 2, 0);
  const tenon_status status = tenon_tensor_set_requires_grad(ints, 1);
  assert_int_equal(tenon_tensor_requires_grad(ints), 0);
  tenon_tensor_release(ints);
  return status;
}

// WHAT: "NULL", "itself", "longer" or "double"
static tenon_status set_grad(const bad_world* world, const bad_case* one) {
  if (strcmp(one->args[0], "NULL") == 0) return tenon_tensor_set_grad(NULL, world->tensor);
  tenon_tensor* leaf = fresh(TENON_DTYPE_F32, 2, 1);
  tenon_tensor* grad = strcmp(one->args[0], "itself") == 0   ? tenon_tensor_retain(leaf)
                       : strcmp(one->args[0], "longer") == 0 ? fresh(TENON_DTYPE_F32, 3, 0)
                                                             : fresh(TENON_DTYPE_F64, 2, 0);
  const tenon_status status = tenon_tensor_set_grad(leaf, grad);
  tenon_tensor* left = NULL;
  tenon_error* error = tenon_error_take();
  assert_ok(tenon_tensor_copy_grad(leaf, &left));
  assert_null(left);
  if (error != NULL) tenon_error_set(error);
  tenon_tensor_release(grad);
  tenon_tensor_release(leaf);
  return status;
}

static tenon_status copy_grad(const bad_world* world, const bad_case* one) {
  (void)world, (void)one;
  tenon_tensor* grad = NULL;
  const tenon_status status = tenon_tensor_copy_grad(NULL, &grad);
  assert_null(grad);
  return status;
}

static tenon_status copy_node(const bad_world* world, const bad_case* one) {
  (void)world, (void)one;
  tenon_node* node = NULL;
  int64_t output;
  const tenon_status status = tenon_tensor_copy_node(NULL, &node, &output);
  assert_null(node);
  return status;
}

// INDEX of an edge of a leaf's node, which has no edges
static tenon_status copy_edge(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_tensor* leaf = fresh(TENON_DTYPE_F32, 1, 1);
  tenon_node *node = NULL, *next = NULL;
  int64_t output;
  assert_ok(tenon_tensor_copy_node(leaf, &node, &output));
  const tenon_status status = tenon_node_copy_edge(node, number_of(one->args[0]), &next, &output);
  assert_null(next);
  tenon_node_release(node);
  tenon_tensor_release(leaf);
  return status;
}

static tenon_status no_gradient(const tenon_backward_call* call) {
  (void)call;
  return TENON_OK;
}

static tenon_status no_setup(void* ctx, tenon_function_context* context, const tenon_stack* call) {
  (void)ctx, (void)context, (void)call;
  return TENON_OK;
}

// LIBRARY NAME GRADIENT FIELDS: "backward=1", "saves=1", "setup=1", "flags=N",
// "struct_size=N", "reserved=N"
static tenon_status register_autograd(const bad_world* world, const bad_case* one) {
  const int before = bad_deleted;
  const char* fields = one->args[3];
  tenon_formula formula;
  memset(&formula, 0, sizeof formula);
  formula.struct_size = (uint32_t)field_of(fields, "struct_size", sizeof formula);
  formula.flags = (uint32_t)field_of(fields, "flags", 0);
  formula.gradient = text_of(one->args[2]);
  formula.backward = field_of(fields, "backward", 0) != 0 ? &no_gradient : NULL;
  formula.saves = field_of(fields, "saves", 0) != 0 ? "x" : NULL;
  formula.setup = field_of(fields, "setup", 0) != 0 ? &no_setup : NULL;
  formula.language = (uint32_t)field_of(fields, "language", TENON_LANGUAGE_C);
  formula.policy = (uint32_t)field_of(fields, "policy", 0);
  formula.deleter = &bad_delete;
  formula.reserved[0] = (uint64_t)field_of(fields, "reserved", 0);
  tenon_registration* registration = NULL;
  const tenon_status status = tenon_library_register_autograd(
      library_of(world, one->args[0]), text_of(one->args[1]), &formula, &registration);
  assert_null(registration);
  if (field_of(fields, "struct_size", sizeof formula) >= 56) require_deleted(before, one->what);
  return status;
}

// LIBRARY NAME POLICY
static tenon_status set_gradient_policy(const bad_world* world, const bad_case* one) {
  tenon_registration* registration = NULL;
  const tenon_status status =
      tenon_library_set_gradient_policy(library_of(world, one->args[0]), text_of(one->args[1]),
                                        (uint32_t)number_of(one->args[2]), &registration);
  assert_null(registration);
  return status;
}

// FIELDS: "noutputs=N", "outputs=0" (NULL), "tracked=0", "long=1", "grad=N" (of N elements),
// "ninputs=N", "input=0" (not tracked), "flags=N", "struct_size=N", "reserved=N"
static tenon_status run_pass(const bad_case* one, int gives) {
  const char* fields = one->args[0];
  const int tracked = field_of(fields, "tracked", 1) != 0;
  tenon_tensor* leaf = fresh(TENON_DTYPE_F32, field_of(fields, "long", 0) != 0 ? 3 : 1, tracked);
  tenon_tensor* apart = fresh(TENON_DTYPE_F32, 1, (int32_t)field_of(fields, "input", 1));
  const int64_t ngrad = field_of(fields, "grad", 0);
  tenon_tensor* grad = ngrad != 0 ? fresh(TENON_DTYPE_F32, ngrad, 0) : NULL;
  tenon_backward_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = (uint32_t)field_of(fields, "struct_size", sizeof options);
  options.flags = (uint32_t)field_of(fields, "flags", 0);
  options.outputs = field_of(fields, "outputs", 1) != 0 ? &leaf : NULL;
  options.noutputs = field_of(fields, "noutputs", 1);
  options.grads = grad != NULL ? &grad : NULL;
  options.inputs = field_of(fields, "inputs", 1) != 0 ? &apart : NULL;
  options.ninputs = field_of(fields, "ninputs", gives);
  options.reserved[0] = (uint64_t)field_of(fields, "reserved", 0);
  tenon_tensor* out[1] = {NULL};
  const tenon_status status = gives ? tenon_grad(&options, out) : tenon_backward(&options);
  assert_null(out[0]);
  tenon_tensor_release(grad);
  tenon_tensor_release(apart);
  tenon_tensor_release(leaf);
  return status;
}

static tenon_status run_backward(const bad_world* world, const bad_case* one) {
  (void)world;
  return strcmp(one->args[0], "NULL") == 0 ? tenon_backward(NULL) : run_pass(one, 0);
}

static tenon_status run_grad(const bad_world* world, const bad_case* one) {
  (void)world;
  return strcmp(one->args[0], "NULL") == 0 ? tenon_grad(NULL, NULL) : run_pass(one, 1);
}

// WHAT: "reach" (beyond the memory), "hollow" (no memory) or "strides" (NULL)
static tenon_status new_detached(const bad_world* world, const bad_case* one) {
  const int64_t sizes[1] = {1000000}, strides[1] = {1};
  tenon_tensor* tensor = NULL;
  const tenon_tensor* base = world->tensor;
  const tenon_status status = tenon_tensor_new_detached(
      strcmp(one->args[0], "hollow") == 0 ? tenon_tensor_undefined() : base, 1, sizes,
      strcmp(one->args[0], "strides") == 0 ? NULL : strides, 0, &tensor);
  assert_null(tensor);
  return status;
}

// Returns its first argument.
static tenon_status give_first(void* ctx, tenon_stack* stack) {
  (void)ctx;
  return tenon_value_copy(&stack->args[0], &stack->rets[0]);
}

// FIELDS: "function=0" (NULL), "inputs=0" (NULL), "ninputs=N", "tensor=0" (NULL), "tracked=0",
// "expanded=1", "flags=N", "eps=N", "atol=N", "rtol=N", "nondet_tol=N", "struct_size=N",
// "reserved=N"; for second order "ngrads=N", "grads=0" (NULL), "grad=N" (with N elements)
static tenon_status run_check(const bad_case* one, int second) {
  const char* fields = one->args[0];
  const int64_t count = 2, strides[1] = {0};
  tenon_tensor* leaf = NULL;
  assert_ok(tenon_tensor_new(TENON_DTYPE_F64, NULL, 1, &count,
                             field_of(fields, "expanded", 0) != 0 ? strides : NULL, &leaf));
  if (field_of(fields, "tracked", 1) != 0) assert_ok(tenon_tensor_set_requires_grad(leaf, 1));
  tenon_tensor* grad = fresh(TENON_DTYPE_F64, field_of(fields, "grad", 2), 0);
  tenon_value input = tenon_value_of_tensor(field_of(fields, "tensor", 1) != 0 ? leaf : NULL);
  tenon_gradcheck_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = (uint32_t)field_of(fields, "struct_size", sizeof options);
  options.flags = (uint32_t)field_of(fields, "flags", TENON_GRADCHECK_BACKWARD);
  options.eps = (double)field_of(fields, "eps", 1);
  options.atol = (double)field_of(fields, "atol", 1);
  options.rtol = (double)field_of(fields, "rtol", 1);
  options.nondet_tol = (double)field_of(fields, "nondet_tol", 0);
  options.reserved[0] = (uint64_t)field_of(fields, "reserved", 0);
  const tenon_callable function = field_of(fields, "function", 1) != 0 ? &give_first : NULL;
  const tenon_value* inputs = field_of(fields, "inputs", 1) != 0 ? &input : NULL;
  const int64_t ninputs = field_of(fields, "ninputs", 1);
  tenon_tensor* const* grads = field_of(fields, "grads", 1) != 0 ? &grad : NULL;
  tenon_buffer* report = NULL;
  const tenon_status status =
      second ? tenon_gradgradcheck(function, NULL, inputs, ninputs, grads,
                                   field_of(fields, "ngrads", 1), &options, &report)
             : tenon_gradcheck(function, NULL, inputs, ninputs, &options, &report);
  assert_null(report);
  tenon_tensor_release(grad);
  tenon_tensor_release(leaf);
  return status;
}

static tenon_status run_gradcheck(const bad_world* world, const bad_case* one) {
  (void)world;
  return run_check(one, 0);
}

static tenon_status run_gradgradcheck(const bad_world* world, const bad_case* one) {
  (void)world;
  return run_check(one, 1);
}

// WHAT: "NULL" or "undefined"
static tenon_status copy_data(const bad_world* world, const bad_case* one) {
  tenon_tensor* data = NULL;
  const tenon_status status = tenon_tensor_copy_data(given_tensor(world, one->args[0]), &data);
  assert_null(data);
  return status;
}

// WHAT: "NULL", "undefined", "nothing" (no data), "ints" (of a leaf), "deep" (of a leaf), "view"
static tenon_status set_data(const bad_world* world, const bad_case* one) {
  const char* what = one->args[0];
  const int64_t sizes[1] = {2}, strides[1] = {1}, deep[7] = {1, 1, 1, 1, 1, 1, 1};
  tenon_tensor *leaf = fresh(TENON_DTYPE_F32, 2, 1), *data = NULL, *view = NULL;
  assert_ok(tenon_tensor_new_alias(leaf, 1, sizes, strides, 0, &view));
  if (strcmp(what, "deep") == 0) {
    assert_ok(tenon_tensor_new(TENON_DTYPE_F32, NULL, 7, deep, NULL, &data));
  } else {
    data = fresh(strcmp(what, "ints") == 0 ? TENON_DTYPE_I64 : TENON_DTYPE_F32, 3, 0);
  }
  tenon_tensor* target = strcmp(what, "NULL") == 0 || strcmp(what, "undefined") == 0
                             ? given_tensor(world, what)
                         : strcmp(what, "view") == 0 ? view
                                                     : leaf;
  const tenon_status status =
      tenon_tensor_set_data(target, strcmp(what, "nothing") == 0 ? NULL : data);
  assert_int_equal(tenon_tensor_numel(leaf), 2);
  tenon_tensor_release(view);
  tenon_tensor_release(data);
  tenon_tensor_release(leaf);
  return status;
}

// WHAT: "NULL", "undefined" or "view"
static tenon_status detach(const bad_world* world, const bad_case* one) {
  if (strcmp(one->args[0], "view") != 0) {
    return tenon_tensor_detach(given_tensor(world, one->args[0]));
  }
  const int64_t sizes[1] = {1}, strides[1] = {1};
  tenon_tensor *base = fresh(TENON_DTYPE_F32, 2, 0), *view = NULL;
  assert_ok(tenon_tensor_new_alias(base, 1, sizes, strides, 0, &view));
  const tenon_status status = tenon_tensor_detach(view);
  tenon_tensor_release(view);
  tenon_tensor_release(base);
  return status;
}

// Leaves a level that a thread state has brought to this thread.
static tenon_status leave_carried(void) {
  int64_t level = 0;
  tenon_thread_state *state = NULL, *previous = NULL;
  assert_ok(tenon_dual_enter(&level));
  assert_ok(tenon_thread_state_capture(&state));
  assert_ok(tenon_thread_state_enter(state, &previous));
  const tenon_status status = tenon_dual_leave(level);
  tenon_error* error = tenon_error_take();
  assert_ok(tenon_thread_state_leave(previous));
  tenon_thread_state_release(state);
  assert_ok(tenon_dual_leave(level));
  if (error != NULL) tenon_error_set(error);
  return status;
}

// LEVEL: the level to leave inside level 0, or "none", or "carried"
static tenon_status dual_leave(const bad_world* world, const bad_case* one) {
  (void)world;
  int64_t level = 0;
  if (strcmp(one->args[0], "none") == 0) return tenon_dual_leave(0);
  if (strcmp(one->args[0], "carried") == 0) return leave_carried();
  assert_ok(tenon_dual_enter(&level));
  const tenon_status status = tenon_dual_leave(number_of(one->args[0]));
  tenon_error* error = tenon_error_take();
  assert_ok(tenon_dual_leave(level));
  if (error != NULL) tenon_error_set(error);
  return status;
}

static tenon_status dual_enter(const bad_world* world, const bad_case* one) {
  (void)world, (void)one;
  int64_t level = 0, inner = 0;
  assert_ok(tenon_dual_enter(&level));
  const tenon_status status = tenon_dual_enter(&inner);
  assert_int_equal(inner, -1);
  tenon_error* error = tenon_error_take();
  assert_ok(tenon_dual_leave(level));
  if (error != NULL) tenon_error_set(error);
  return status;
}

// PRIMAL TANGENT: "NULL", "undefined", "floats", "more" (floats), "doubles" or "ints"
static tenon_tensor* dual_part(const char* name) {
  if (strcmp(name, "NULL") == 0) return NULL;
  if (strcmp(name, "undefined") == 0) return tenon_tensor_undefined();
  if (strcmp(name, "ints") == 0) return fresh(TENON_DTYPE_I64, 2, 0);
  if (strcmp(name, "doubles") == 0) return fresh(TENON_DTYPE_F64, 2, 0);
  return fresh(TENON_DTYPE_F32, strcmp(name, "more") == 0 ? 3 : 2, 0);
}

static tenon_status dual_make(const bad_world* world, const bad_case* one) {
  (void)world;
  int64_t level = 0;
  assert_ok(tenon_dual_enter(&level));
  tenon_tensor *primal = dual_part(one->args[0]), *tangent = dual_part(one->args[1]), *dual = NULL;
  const tenon_status status = tenon_dual_make(level, primal, tangent, &dual);
  assert_null(dual);
  tenon_error* error = tenon_error_take();
  if (tangent != tenon_tensor_undefined()) tenon_tensor_release(tangent);
  if (primal != tenon_tensor_undefined()) tenon_tensor_release(primal);
  assert_ok(tenon_dual_leave(level));
  if (error != NULL) tenon_error_set(error);
  return status;
}

// WHAT: "none" (no level), "NULL" or "undefined"
static tenon_status dual_unpack(const bad_world* world, const bad_case* one) {
  int64_t level = 0;
  tenon_tensor *primal = NULL, *tangent = NULL;
  const int open = strcmp(one->args[0], "none") != 0;
  if (open) assert_ok(tenon_dual_enter(&level));
  const tenon_status status = tenon_dual_unpack(
      level, open ? given_tensor(world, one->args[0]) : world->tensor, &primal, &tangent);
  assert_true(primal == NULL && tangent == NULL);
  tenon_error* error = tenon_error_take();
  if (open) assert_ok(tenon_dual_leave(level));
  if (error != NULL) tenon_error_set(error);
  return status;
}

const bad_named_call bad_autograd_calls[] = {{"set_requires_grad", &set_requires_grad},
                                             {"set_grad", &set_grad},
                                             {"copy_grad", &copy_grad},
                                             {"copy_node", &copy_node},
                                             {"copy_edge", &copy_edge},
                                             {"register_autograd", &register_autograd},
                                             {"set_gradient_policy", &set_gradient_policy},
                                             {"backward", &run_backward},
                                             {"grad", &run_grad},
                                             {"gradcheck", &run_gradcheck},
                                             {"gradgradcheck", &run_gradgradcheck},
                                             {"new_detached", &new_detached},
                                             {"copy_data", &copy_data},
                                             {"set_data", &set_data},
                                             {"detach", &detach},
                                             {"dual_enter", &dual_enter},
                                             {"dual_leave", &dual_leave},
                                             {"dual_make", &dual_make},
                                             {"dual_unpack", &dual_unpack},
                                             {NULL, NULL}};
