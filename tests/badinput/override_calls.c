// SPDX-License-Identifier: Apache-2.0
// Wrong calls of overrides.h: carriers, wrapper tensors and modes.
#include "badinput.h"

static tenon_status carrier(const bad_world* world, const bad_case* one) {
  bad_values values;
  tenon_tensor* tensor = NULL;
  read_values(world, one->args[0], &values);
  const tenon_status status = tenon_carrier_new(&values.of[0], &tensor);
  assert_null(tensor);
  return status;
}

static tenon_status decline(void* self, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)self, (void)op, (void)keys, (void)stack;
  return TENON_DECLINED;
}

static int self_uses = 0;
static void retain_self(void* self) { ++*(int*)self; }

// TYPE (field=value pairs, "ok" or "NULL") DTYPE DEVICE SIZES
static tenon_status wrapper(const bad_world* world, const bad_case* one) {
  (void)world;
  bad_object_type given;
  bad_dims sizes;
  tenon_device device;
  tenon_tensor* tensor = NULL;
  read_object_type(one->args[0], &given);
  given.type.retain = &retain_self;
  if (strcmp(one->args[0], "dispatch=NULL") != 0) given.type.dispatch = &decline;
  read_dims(one->args[3], &sizes);
  const tenon_wrapper_options options = {.struct_size = sizeof options,
                                         .ndim = sizes.count,
                                         .sizes = sizes.address,
                                         .dtype = (tenon_dtype)number_of(one->args[1]),
                                         .device = device_of(one->args[2], &device)};
  const tenon_status status = tenon_wrapper_new(text_of(one->args[0]) != NULL ? &given.type : NULL,
                                                &self_uses, &options, &tensor);
  assert_null(tensor);
  assert_int_equal(self_uses, 0);
  return status;
}

// KIND OBJECT, whose type has no handlers.
static tenon_status mode_push(const bad_world* world, const bad_case* one) {
  const uint32_t kind = (uint32_t)number_of(one->args[0]);
  const tenon_status status =
      tenon_mode_push(kind, text_of(one->args[1]) != NULL ? world->object : NULL);
  assert_null(tenon_mode_get(kind, 0));
  return status;
}

static tenon_status mode_pop(const bad_world* world, const bad_case* one) {
  return tenon_mode_pop((uint32_t)number_of(one->args[0]), world->object);
}

static tenon_status object_call(const bad_world* world, const bad_case* one) {
  (void)one;
  tenon_value rets[1] = {tenon_value_of_none()};
  tenon_stack stack = {.rets = rets, .nrets = 1};
  const tenon_status status = tenon_object_call(world->object, &stack);
  assert_int_equal(rets[0].tag, TENON_TAG_NONE);
  return status;
}

const bad_named_call bad_override_calls[] = {
    {"object_call", &object_call}, {"carrier", &carrier},   {"wrapper", &wrapper},
    {"mode_push", &mode_push},     {"mode_pop", &mode_pop}, {NULL, NULL}};
