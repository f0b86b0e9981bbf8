// SPDX-License-Identifier: Apache-2.0
// object.h from C: objects, types of other versions, and objects that are functions.
#include "support.h"

static int retained, released;
static void retain(void* self) { (void)self, ++retained; }
static void release(void* self) { (void)self, ++released; }

// Adds the object's number to the first argument. Fails for 13 to 16, each in a different way.
static tenon_status add_own(void* self, tenon_stack* stack) {
  const int64_t given = stack->args[0].as.i;
  stack->rets[0] = tenon_value_of_int(given + *(int*)self);
  if (given == 13) {
    stack->error = tenon_error_new(TENON_ERROR_INDEX, NULL, "unlucky");
    return TENON_ERROR_INDEX;
  }
  if (given == 14) return tenon_error_raise(TENON_ERROR_TYPE, "in the slot");
  if (given == 15) return TENON_ERROR_RUNTIME;
  if (given == 16) {
    tenon_error_raise(TENON_ERROR_TYPE, "the reason");
    return TENON_ERROR_RUNTIME;
  }
  return TENON_OK;
}

static const tenon_object_type plain = {.struct_size = sizeof plain,
                                        .language = TENON_LANGUAGE_C,
                                        .name = "test.Plain",
                                        .retain = retain,
                                        .release = release};
static const tenon_object_type adder = {.struct_size = sizeof adder,
                                        .language = TENON_LANGUAGE_C,
                                        .name = "test.Adder",
                                        .release = release,
                                        .call = add_own};

static tenon_status call_with(tenon_object* object, int64_t number, tenon_value* out_ret) {
  tenon_value arg = tenon_value_of_int(number);
  tenon_stack stack = {.args = &arg, .rets = out_ret, .nargs = 1, .nrets = 1};
  *out_ret = tenon_value_of_none();
  const tenon_status status = tenon_object_call(object, &stack);
  assert_null(stack.error);
  return status;
}

static void object_keeps_self_until_its_end(void** state) {
  (void)state;
  const live_counts before = count_live();
  retained = released = 0;
  int self = 1;
  tenon_object* object = NULL;
  assert_ok(tenon_object_new(&plain, &self, &object));
  assert_int_equal(retained, 1);
  assert_ptr_equal(tenon_object_self(object), &self);
  assert_ptr_equal(tenon_object_get_type(object), &plain);
  tenon_object_release(tenon_object_retain(object));
  assert_int_equal(released, 0);
  tenon_object_release(object);
  assert_int_equal(released, 1);
  assert_nothing_left(before);
}

static void function_object_is_called(void** state) {
  (void)state;
  const live_counts before = count_live();
  int two = 2;
  tenon_value ret;
  tenon_object* object = NULL;
  assert_ok(tenon_object_new(&adder, &two, &object));
  assert_ok(call_with(object, 40, &ret));
  assert_int_equal(ret.as.i, 42);
  assert_error(call_with(object, 13, &ret), TENON_ERROR_INDEX, "unlucky");
  assert_int_equal(ret.tag, TENON_TAG_NONE);
  assert_error(call_with(object, 14, &ret), TENON_ERROR_TYPE, "in the slot");
  assert_error(call_with(object, 15, &ret), TENON_ERROR_RUNTIME,
               "test.Adder: function failed with TENON_ERROR_RUNTIME without raising an error");
  assert_int_equal(call_with(object, 16, &ret), TENON_ERROR_RUNTIME);
  assert_string_equal(tenon_error_message(tenon_error_cause(tenon_error_peek())), "the reason");
  tenon_error_release(tenon_error_take());
  tenon_object_release(object);
  assert_ok(tenon_object_new(&plain, &two, &object));
  assert_error(call_with(object, 40, &ret), TENON_ERROR_TYPE,
               "tenon_object_call: object must be a function, got one of test.Plain");
  tenon_object_release(object);
  assert_nothing_left(before);
}

// Calls its first argument with the second.
static tenon_status call_argument(void* ctx, const tenon_op* op, tenon_keyset keys,
                                  tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  assert_int_equal(stack->args[0].tag, TENON_TAG_FUNCTION);
  tenon_stack inner = {.args = &stack->args[1], .rets = stack->rets, .nargs = 1, .nrets = 1};
  return tenon_object_call(stack->args[0].as.object, &inner);
}

static void function_goes_where_the_schema_says_so(void** state) {
  (void)state;
  const tenon_op* found = NULL;
  assert_error(tenon_op_find("functions::typed", &found), TENON_ERROR_NOT_FOUND, "functions");
  const live_counts before = count_live();  // with the built-in kernels
  tenon_library* library = NULL;
  const tenon_op *typed = NULL, *any = NULL;
  const tenon_kernel kernel = {.struct_size = sizeof kernel, .boxed = call_argument};
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, "functions", TENON_KEY_NONE, __FILE__, __LINE__,
                              &library));
  assert_ok(tenon_library_define(library, "typed(Function f, int n) -> int", NULL, &typed));
  assert_ok(tenon_library_define(library, "any(Any f, Any n) -> Any", NULL, &any));
  assert_ok(tenon_library_impl(library, "typed", TENON_KEY_CPU, &kernel, NULL));
  assert_ok(
      tenon_library_impl(library, "any", TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD, &kernel, NULL));
  int two = 2;
  tenon_object *object = NULL, *other = NULL;
  assert_ok(tenon_object_new(&adder, &two, &object));
  assert_ok(tenon_object_new(&plain, &two, &other));
  tenon_value ret;
  tenon_value args[2] = {tenon_value_of_function(object), tenon_value_of_int(40)};
  assert_ok(tenon_op_call_named(any, args, 2, NULL, NULL, 0, &ret, 1));
  assert_int_equal(ret.as.i, 42);
  assert_ok(tenon_op_call_named(typed, args, 2, NULL, NULL, 0, &ret, 1));
  assert_int_equal(ret.as.i, 42);
  // A callable object is accepted as a function; another object is not.
  args[0] = tenon_value_of_object(object);
  assert_ok(tenon_op_call_named(typed, args, 2, NULL, NULL, 0, &ret, 1));
  assert_int_equal(ret.as.i, 42);
  args[0] = tenon_value_of_object(other);
  assert_error(tenon_op_call_named(typed, args, 2, NULL, NULL, 0, &ret, 1), TENON_ERROR_TYPE,
               "f must be Function, got test.Plain");
  tenon_object_release(object);
  tenon_object_release(other);
  tenon_library_release(library);
  assert_nothing_left(before);
}

// A type with one field more than this header has.
static void type_of_a_newer_header_must_not_use_it(void** state) {
  (void)state;
  struct {
    tenon_object_type type;
    uint64_t later;
  } newer = {.type = adder, .later = 0};
  tenon_object* object = NULL;
  newer.type.struct_size = sizeof newer;
  assert_ok(tenon_object_new(&newer.type, NULL, &object));
  tenon_object_release(object);
  newer.later = 1;
  assert_error(tenon_object_new(&newer.type, NULL, &object), TENON_ERROR_ABI, "must be zero");
  assert_null(object);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(object_keeps_self_until_its_end),
      cmocka_unit_test(function_object_is_called),
      cmocka_unit_test(function_goes_where_the_schema_says_so),
      cmocka_unit_test(type_of_a_newer_header_must_not_use_it),
  };
  return cmocka_run_group_tests_name("object", tests, NULL, NULL);
}
