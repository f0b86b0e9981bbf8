// SPDX-License-Identifier: Apache-2.0
// Wrong calls of custom autograd functions, and of their contexts.
#include "badinput.h"

static tenon_status return_first(void* ctx, tenon_function_context* context, tenon_stack* stack) {
  (void)ctx, (void)context;
  return tenon_value_copy(&stack->args[0], &stack->rets[0]);
}

static tenon_status no_gradient(const tenon_backward_call* call) {
  (void)call;
  return TENON_OK;
}

static tenon_function_type good_type(void) {
  tenon_function_type type;
  memset(&type, 0, sizeof type);
  type.struct_size = sizeof type;
  type.name = "Bad";
  type.forward = &return_first;
  type.backward = &no_gradient;
  type.deleter = &bad_delete;
  type.language = TENON_LANGUAGE_C;
  return type;
}

// FIELDS: "type=0" (NULL), "name=0" (NULL), "empty=1", "backward=0", "flags=N",
// "language=N", "struct_size=N", "reserved=N"
static tenon_status function_new(const bad_world* world, const bad_case* one) {
  (void)world;
  const char* fields = one->args[0];
  const int before = bad_deleted;
  tenon_function_type type = good_type();
  type.struct_size = (uint32_t)field_of(fields, "struct_size", sizeof type);
  type.flags = (uint32_t)field_of(fields, "flags", 0);
  if (field_of(fields, "name", 1) == 0) type.name = NULL;
  if (field_of(fields, "empty", 0) != 0) type.name = "";
  if (field_of(fields, "backward", 1) == 0) type.backward = NULL;
  type.language = (uint32_t)field_of(fields, "language", TENON_LANGUAGE_C);
  type.reserved[0] = (uint64_t)field_of(fields, "reserved", 0);
  tenon_object* function = NULL;
  const int given = field_of(fields, "type", 1) != 0;
  const tenon_status status = tenon_function_new(given ? &type : NULL, &function);
  assert_null(function);
  if (given && type.struct_size == sizeof type) require_deleted(before, one->what);
  return status;
}

static tenon_object* function_with(tenon_forward_fn forward) {
  tenon_function_type type = good_type();
  type.deleter = NULL;
  type.forward = forward;
  tenon_object* function = NULL;
  assert_ok(tenon_function_new(&type, &function));
  return function;
}

static tenon_object* good_function(void) { return function_with(&return_first); }

// WHAT: "NULL", "other" (an object that is no function), "forward" (without), "args" (NULL) or
// "count" (below zero)
static tenon_status function_apply(const bad_world* world, const bad_case* one) {
  const char* what = one->args[0];
  tenon_object* function = strcmp(what, "forward") == 0 ? function_with(NULL) : good_function();
  const tenon_value arg = tenon_value_of_tensor(world->tensor);
  tenon_value result = tenon_value_of_int(7);
  tenon_object* object = strcmp(what, "NULL") == 0    ? NULL
                         : strcmp(what, "other") == 0 ? world->object
                                                      : function;
  const tenon_status status = tenon_function_apply(object, strcmp(what, "args") == 0 ? NULL : &arg,
                                                   strcmp(what, "count") == 0 ? -1 : 1, &result);
  assert_int_equal(result.tag, TENON_TAG_NONE);
  tenon_object_release(function);
  return status;
}

// WHAT: "NULL", "other", "args" or "count"
static tenon_status function_begin(const bad_world* world, const bad_case* one) {
  const char* what = one->args[0];
  tenon_object* function = good_function();
  tenon_tensor* const input = world->tensor;
  tenon_function_context* context = NULL;
  tenon_object* object = strcmp(what, "NULL") == 0    ? NULL
                         : strcmp(what, "other") == 0 ? world->object
                                                      : function;
  const tenon_status status =
      tenon_function_begin(object, strcmp(what, "args") == 0 ? NULL : &input,
                           strcmp(what, "count") == 0 ? -1 : 1, &context);
  assert_null(context);
  tenon_object_release(function);
  return status;
}

// WHAT: "NULL" (context), "outputs" (NULL), "count" (below zero) or "dirty" (not returned)
static tenon_status function_finish(const bad_world* world, const bad_case* one) {
  const char* what = one->args[0];
  tenon_object* function = good_function();
  tenon_tensor *const input = world->tensor, *output = world->other;
  tenon_function_context* context = NULL;
  tenon_node* node = NULL;
  if (strcmp(what, "NULL") != 0) assert_ok(tenon_function_begin(function, &input, 1, &context));
  if (strcmp(what, "dirty") == 0) assert_ok(tenon_function_context_mark_dirty(context, input));
  const tenon_status status =
      tenon_function_finish(context, strcmp(what, "outputs") == 0 ? NULL : &output,
                            strcmp(what, "count") == 0 ? -1 : 1, &node);
  assert_null(node);
  assert_ptr_equal(output, world->other);
  tenon_object_release(function);
  return status;
}

// CALL: "save", "save values" (NULL), "save tag", "copy_saved", "copy_saved index" (of a context
// without saved values), "mark_dirty", "mark_dirty tensor" (NULL), "mark_non_differentiable",
// "mark_non_differentiable tensor". With a single word, the context is NULL.
static tenon_status function_context(const bad_world* world, const bad_case* one) {
  const char* what = one->args[0];
  tenon_object* function = good_function();
  tenon_tensor* const input = world->tensor;
  tenon_function_context* context = NULL;
  tenon_value value = tenon_value_of_int(1);
  tenon_status status = TENON_OK;
  const int with = strchr(what, ' ') != NULL;
  if (with) assert_ok(tenon_function_begin(function, &input, 1, &context));
  tenon_tensor* const tensor = with ? NULL : input;
  if (strncmp(what, "save", 4) == 0) {
    if (strcmp(what, "save tag") == 0) value.tag = 99;
    status =
        tenon_function_context_save(context, strcmp(what, "save values") == 0 ? NULL : &value, 1);
  } else if (strncmp(what, "copy_saved", 10) == 0) {
    status = tenon_function_context_copy_saved(context, with ? 0 : 1, &value);
    assert_int_equal(value.tag, TENON_TAG_NONE);
  } else if (strncmp(what, "mark_dirty", 10) == 0) {
    status = tenon_function_context_mark_dirty(context, tensor);
  } else {
    status = tenon_function_context_mark_non_differentiable(context, tensor);
  }
  tenon_function_cancel(context);
  tenon_object_release(function);
  return status;
}

const bad_named_call bad_function_calls[] = {
    {"function_new", &function_new},         {"function_apply", &function_apply},
    {"function_begin", &function_begin},     {"function_finish", &function_finish},
    {"function_context", &function_context}, {NULL, NULL}};
