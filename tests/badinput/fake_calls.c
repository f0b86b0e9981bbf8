// SPDX-License-Identifier: Apache-2.0
// Wrong calls of fake tensors: modes, conversions and fake kernels.
#include "badinput.h"

static int is(const bad_case* one, const char* what) { return strcmp(one->args[0], what) == 0; }

// FLAGS
static tenon_status fake_mode_new(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_fake_mode* mode = NULL;
  const tenon_status status = tenon_fake_mode_new((uint32_t)number_of(one->args[0]), &mode);
  assert_null(mode);
  return status;
}

// WHAT: "null" enters no mode, "order" leaves the outer of two modes, "fresh" leaves one that was
// not entered.
static tenon_status fake_mode(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_fake_guard outer, inner, fresh;
  memset(&fresh, 0, sizeof fresh);
  if (is(one, "null")) return tenon_fake_mode_enter(NULL, &fresh);
  tenon_fake_mode* mode = NULL;
  assert_ok(tenon_fake_mode_new(0, &mode));
  assert_ok(tenon_fake_mode_enter(mode, &outer));
  assert_ok(tenon_fake_mode_enter(mode, &inner));
  const tenon_status status = tenon_fake_mode_leave(is(one, "order") ? &outer : &fresh);
  tenon_error* error = tenon_error_take();
  assert_ok(tenon_fake_mode_leave(&inner));
  assert_ok(tenon_fake_mode_leave(&outer));
  assert_null(tenon_fake_mode_copy_current());
  assert_null(tenon_fake_copy_given_env());
  tenon_fake_mode_release(mode);
  if (error != NULL) tenon_error_set(error);
  return status;
}

// WHAT: "null", or "hollow" for a tensor of a grad layer.
static tenon_status copy_fake(const bad_world* world, const bad_case* one) {
  tenon_layer* layer = NULL;
  tenon_tensor *given = NULL, *out = NULL;
  assert_ok(tenon_grad_enter(&layer));
  if (is(one, "hollow")) {
    assert_ok(tenon_layer_wrap(layer, world->tensor, TENON_DIM_NONE, &given));
  }
  const tenon_status status = tenon_tensor_copy_fake(given, NULL, &out);
  tenon_error* error = tenon_error_take();
  assert_null(out);
  tenon_tensor_release(given);
  assert_ok(tenon_layer_leave(layer));
  tenon_layer_release(layer);
  if (error != NULL) tenon_error_set(error);
  return status;
}

// WHAT with the sizes of a fake tensor.
static tenon_status copy_sized(const bad_world* world, const bad_case* one) {
  tenon_shape_env* env = NULL;
  tenon_fake_mode* mode = NULL;
  tenon_tensor* out = NULL;
  assert_ok(tenon_shape_env_new(0, &env));
  assert_ok(tenon_fake_mode_new(0, &mode));
  const int64_t sizes[TENON_TENSOR_MAX_DIMS] = {999};
  const char* names[TENON_TENSOR_MAX_DIMS] = {NULL};
  tenon_tensor* const given = world->tensor;
  tenon_status status = TENON_OK;
  if (is(one, "null")) status = tenon_tensor_copy_symbolic(NULL, env, NULL, &out);
  if (is(one, "neither")) status = tenon_tensor_copy_symbolic(given, NULL, NULL, &out);
  if (is(one, "both")) status = tenon_tensor_copy_symbolic(given, env, sizes, &out);
  if (is(one, "other")) status = tenon_tensor_copy_symbolic(given, NULL, sizes, &out);
  if (is(one, "undefined")) {
    status = tenon_tensor_copy_symbolic(tenon_tensor_undefined(), env, NULL, &out);
  }
  if (is(one, "no mode")) status = tenon_fake_mode_copy_dynamic(NULL, given, names, &out);
  if (is(one, "no tensor")) status = tenon_fake_mode_copy_dynamic(mode, NULL, names, &out);
  if (is(one, "no names")) status = tenon_fake_mode_copy_dynamic(mode, given, NULL, &out);
  tenon_error* error = tenon_error_take();
  assert_null(out);
  tenon_fake_mode_release(mode);
  tenon_shape_env_release(env);
  if (error != NULL) tenon_error_set(error);
  return status;
}

// WHAT: "no mode", "no env", "second" for a mode that already has an environment, "ask" to read the
// environment of no mode
static tenon_status fake_env(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_fake_mode* mode = NULL;
  tenon_shape_env *env = NULL, *own = NULL;
  assert_ok(tenon_fake_mode_new(0, &mode));
  assert_ok(tenon_shape_env_new(0, &env));
  if (is(one, "second")) assert_ok(tenon_fake_mode_set_shape_env(mode, env));
  const tenon_status status = is(one, "ask")
                                  ? tenon_fake_mode_shape_env(NULL, &own)
                                  : tenon_fake_mode_set_shape_env(is(one, "no mode") ? NULL : mode,
                                                                  is(one, "no env") ? NULL : env);
  assert_null(own);
  tenon_shape_env_release(env);
  tenon_fake_mode_release(mode);
  return status;
}

typedef struct {
  int64_t min, max;
  tenon_status status;
} asked_size;

// A fake kernel that creates a size and returns its argument.
static tenon_status ask_size(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  asked_size* asked = ctx;
  tenon_value size;
  (void)op, (void)keys;
  asked->status = tenon_fake_new_size(asked->min, asked->max, &size);
  stack->rets[0] =
      tenon_value_give(tenon_value_of_tensor(tenon_tensor_retain(stack->args[0].as.tensor)));
  return TENON_OK;
}

// MIN MAX INSIDE: "yes" calls inside a fake kernel
static tenon_status fake_new_size(const bad_world* world, const bad_case* one) {
  asked_size asked = {number_of(one->args[0]), number_of(one->args[1]), TENON_OK};
  tenon_value size;
  if (strcmp(one->args[2], "yes") != 0) return tenon_fake_new_size(asked.min, asked.max, &size);
  tenon_library* library = NULL;
  const tenon_op* op = NULL;
  tenon_tensor* fake = NULL;
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, "badsizes", TENON_KEY_NONE, NULL, 0, &library));
  assert_ok(tenon_library_define(library, "f(Tensor x) -> Tensor", 0, NULL));
  tenon_kernel kernel = bad_kernel(&ask_size);
  kernel.ctx = &asked;
  assert_ok(tenon_library_register_fake(library, "f", &kernel, NULL));
  assert_ok(tenon_op_find("badsizes::f", &op));
  assert_ok(tenon_tensor_copy_fake(world->tensor, NULL, &fake));
  const tenon_value arg = tenon_value_of_tensor(fake);
  tenon_value ret = tenon_value_of_none();
  assert_ok(tenon_op_call_named(op, &arg, 1, NULL, NULL, 0, &ret, 1));
  tenon_value_clear(&ret);
  tenon_tensor_release(fake);
  tenon_library_release(library);
  return asked.status;
}

// LIBRARY NAME FIELDS: "kernel=0" (NULL), "boxed=0", "fallthrough=1", "language=N", "struct_size=N"
static tenon_status register_fake(const bad_world* world, const bad_case* one) {
  const char* fields = one->args[2];
  const int before = bad_deleted;
  const int given = field_of(fields, "kernel", 1) != 0;
  tenon_kernel kernel = bad_kernel(&bad_return_first);
  kernel.struct_size = (uint32_t)field_of(fields, "struct_size", sizeof kernel);
  if (field_of(fields, "boxed", 1) == 0) kernel.boxed = NULL;
  if (field_of(fields, "fallthrough", 0) != 0) {
    kernel.boxed = NULL;
    kernel.flags = TENON_KERNEL_FALLTHROUGH;
  }
  kernel.deleter = &bad_delete;
  kernel.language = (uint32_t)field_of(fields, "language", TENON_LANGUAGE_C);
  tenon_registration* registration = NULL;
  const tenon_status status =
      tenon_library_register_fake(library_of(world, one->args[0]), text_of(one->args[1]),
                                  given ? &kernel : NULL, &registration);
  assert_null(registration);
  if (given && kernel.struct_size == sizeof kernel) require_deleted(before, one->what);
  return status;
}

// FIELDS: "op=0" (NULL), "check=N", "args=0" (NULL), "nargs=N", "number=1" for no tensor
static tenon_status opcheck(const bad_world* world, const bad_case* one) {
  const char* fields = one->args[0];
  const tenon_value arg = field_of(fields, "number", 0) != 0 ? tenon_value_of_int(1)
                                                             : tenon_value_of_tensor(world->tensor);
  tenon_buffer* report = NULL;
  const tenon_status status =
      tenon_opcheck(field_of(fields, "op", 1) != 0 ? world->taken : NULL,
                    (uint32_t)field_of(fields, "check", TENON_OPCHECK_SCHEMA),
                    field_of(fields, "args", 1) != 0 ? &arg : NULL, field_of(fields, "nargs", 1),
                    -1, -1, &report);
  assert_null(report);
  return status;
}

const bad_named_call bad_fake_calls[] = {
    {"fake_mode_new", &fake_mode_new}, {"fake_mode", &fake_mode}, {"copy_fake", &copy_fake},
    {"copy_sized", &copy_sized},       {"fake_env", &fake_env},   {"fake_new_size", &fake_new_size},
    {"register_fake", &register_fake}, {"opcheck", &opcheck},     {NULL, NULL}};
