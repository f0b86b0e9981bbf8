// SPDX-License-Identifier: Apache-2.0
// Wrong calls of transforms: layers, their tensors, rules and whole functions.
#include "badinput.h"

static tenon_status first(void* ctx, tenon_stack* stack) {
  (void)ctx;
  return tenon_value_copy(&stack->args[0], &stack->rets[0]);
}

static tenon_status rule_fn(void* ctx, const tenon_op* op, const tenon_vmap_info* info,
                            const int64_t* in_dims, tenon_stack* stack, tenon_value* out_dims) {
  (void)ctx, (void)op, (void)info, (void)in_dims, (void)stack, (void)out_dims;
  return TENON_DECLINED;
}

// FIELDS: "rule=0" (NULL), "fn=0" (NULL), "flags=N", "language=N", "struct_size=N", "reserved=N"
static tenon_status register_vmap(const bad_world* world, const bad_case* one) {
  const char* fields = one->args[0];
  const int before = bad_deleted;
  tenon_vmap_rule rule;
  memset(&rule, 0, sizeof rule);
  rule.struct_size = (uint32_t)field_of(fields, "struct_size", sizeof rule);
  rule.flags = (uint32_t)field_of(fields, "flags", 0);
  rule.fn = field_of(fields, "fn", 1) != 0 ? &rule_fn : NULL;
  rule.deleter = &bad_delete;
  rule.language = (uint32_t)field_of(fields, "language", TENON_LANGUAGE_C);
  rule.reserved[0] = (uint64_t)field_of(fields, "reserved", 0);
  tenon_registration* registration = NULL;
  const int given = field_of(fields, "rule", 1) != 0;
  const tenon_status status = tenon_library_register_vmap(world->fragment, "bad::taken",
                                                          given ? &rule : NULL, &registration);
  assert_null(registration);
  if (given && rule.struct_size == sizeof rule) require_deleted(before, one->what);
  return status;
}

static int is(const bad_case* one, const char* what) { return strcmp(one->args[0], what) == 0; }

// WHAT: a wrong call inside a layer of each kind; leaves the layer afterwards.
static tenon_status in_layers(const bad_world* world, const bad_case* one) {
  tenon_layer *vmap = NULL, *grad = NULL, *jvp = NULL;
  tenon_tensor* out = NULL;
  int64_t number = 0;
  tenon_value value = tenon_value_of_tensor(world->tensor);
  assert_ok(tenon_vmap_enter(2, TENON_RANDOMNESS_ERROR, &vmap));
  assert_ok(tenon_grad_enter(&grad));
  assert_ok(tenon_jvp_enter(&jvp));
  tenon_status status = TENON_OK;
  if (is(one, "leave_outer")) status = tenon_layer_leave(vmap);
  if (is(one, "wrap_null")) status = tenon_layer_wrap(vmap, NULL, 0, &out);
  if (is(one, "wrap_dim")) status = tenon_layer_wrap(vmap, world->tensor, 9, &out);
  if (is(one, "wrap_grad_dim")) status = tenon_layer_wrap(grad, world->tensor, 0, &out);
  if (is(one, "lift_null")) status = tenon_layer_lift(grad, NULL, &out);
  if (is(one, "dual_kind")) {
    status = tenon_layer_wrap_dual(grad, world->tensor, world->tensor, &out);
  }
  if (is(one, "dual_null")) status = tenon_layer_wrap_dual(jvp, world->tensor, NULL, &out);
  if (is(one, "unwrap_null")) status = tenon_layer_unwrap(jvp, NULL, &out, &number);
  if (is(one, "tangent_kind")) status = tenon_layer_tangent(grad, world->tensor, &out);
  if (is(one, "result_kind")) status = tenon_vmap_result(grad, NULL, 0, &value, 0, &out);
  if (is(one, "result_number")) {
    value = tenon_value_of_int(1);
    status = tenon_vmap_result(vmap, NULL, 0, &value, 0, &out);
  }
  if (is(one, "info_kind")) {
    tenon_vmap_info info = {.struct_size = sizeof info};
    status = tenon_layer_get_vmap(grad, &info);
  }
  tenon_error* error = tenon_error_take();
  assert_null(out);
  assert_ok(tenon_layer_leave(jvp));
  if (is(one, "wrap_ended")) {
    status = tenon_layer_wrap(jvp, world->tensor, TENON_DIM_NONE, &out);
    error = tenon_error_take();
  }
  assert_ok(tenon_layer_leave(grad));
  assert_ok(tenon_layer_leave(vmap));
  tenon_layer_release(vmap);
  tenon_layer_release(grad);
  tenon_layer_release(jvp);
  if (error != NULL) tenon_error_set(error);
  return status;
}

// WHAT outside of layers.
static tenon_status transform(const bad_world* world, const bad_case* one) {
  tenon_layer* layer = NULL;
  tenon_tensor *out = NULL, *outs[1] = {NULL};
  tenon_hidden_layer* hidden = NULL;
  tenon_pullback* pullback = NULL;
  int64_t size = 0;
  const int64_t dims[1] = {0};
  tenon_value arg = tenon_value_of_int(1), ret = tenon_value_of_none();
  tenon_value tangents = tenon_value_of_none();
  tenon_stack stack = {.args = &arg, .nargs = 1, .rets = &ret, .nrets = 1};
  if (is(one, "enter_size")) return tenon_vmap_enter(-1, 0, &layer);
  if (is(one, "enter_randomness")) return tenon_vmap_enter(1, 3, &layer);
  if (is(one, "leave_null")) return tenon_layer_leave(NULL);
  if (is(one, "hide_none")) return tenon_layer_hide(&hidden);
  if (is(one, "plain_null")) return tenon_tensor_copy_plain(NULL, &out);
  if (is(one, "size_none")) return tenon_vmap_size("f", NULL, NULL, 0, &size);
  if (is(one, "size_number")) return tenon_vmap_size("f", &arg, dims, 1, &size);
  if (is(one, "vmap_null")) return tenon_vmap(NULL, NULL, NULL, &stack);
  if (is(one, "vmap_number")) return tenon_vmap(&first, NULL, NULL, &stack);
  if (is(one, "vmap_struct_size")) {
    const tenon_vmap_options options = {.struct_size = 8};
    return tenon_vmap(&first, NULL, &options, &stack);
  }
  if (is(one, "vjp_number")) return tenon_vjp(&first, NULL, &stack, &pullback);
  if (is(one, "jvp_number")) {
    tenon_tensor* const given[1] = {world->tensor};
    return tenon_jvp(&first, NULL, &stack, given, &tangents);
  }
  if (is(one, "pullback_null")) return tenon_pullback_new(NULL, 1, NULL, 0, &pullback);
  if (is(one, "run_null")) return tenon_pullback_run(NULL, NULL, 0, outs);
  return in_layers(world, one);
}

const bad_named_call bad_transform_calls[] = {
    {"register_vmap", &register_vmap}, {"transform", &transform}, {NULL, NULL}};
