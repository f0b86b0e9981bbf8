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

// WHAT: "null" enters none, "order" leaves the outer of two, "fresh" one that was not entered.
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

const bad_named_call bad_fake_calls[] = {{"fake_mode_new", &fake_mode_new},
                                         {"fake_mode", &fake_mode},
                                         {"copy_fake", &copy_fake},
                                         {"register_fake", &register_fake},
                                         {NULL, NULL}};
