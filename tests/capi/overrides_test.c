// SPDX-License-Identifier: Apache-2.0
// Overrides from C: objects as tensor arguments, carriers, a wrapper tensor that counts calls and
// redispatches, and modes.
#include "support.h"

static int64_t handled;

static tenon_value value_none(void) {
  tenon_value value;
  memset(&value, 0, sizeof value);
  return value;
}

static tenon_value object_value(tenon_object* object) {
  tenon_value value = value_none();
  value.tag = TENON_TAG_OBJECT;
  value.as.object = object;
  return value;
}

// Returns the object itself, although the schema requires a tensor.
static tenon_status return_self(void* self, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack) {
  (void)self;
  (void)op;
  (void)keys;
  ++handled;
  tenon_value value = object_value(tenon_object_of_value(&stack->args[0]));
  return tenon_value_copy(&value, &stack->rets[0]);
}

static tenon_status decline(void* self, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)self;
  (void)op;
  (void)keys;
  (void)stack;
  ++handled;
  return TENON_DECLINED;
}

// Goes on with the same arguments: a mode is off while it runs.
static tenon_status go_on(void* self, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)self;
  (void)keys;
  ++handled;
  tenon_stack inner = *stack;
  inner.error = NULL;
  return tenon_op_call_fast(op, &inner);
}

static tenon_status unwrap_call_wrap(void* self, const tenon_op* op, tenon_keyset keys,
                                     tenon_stack* stack);

static const tenon_object_type overriding = {.struct_size = sizeof(tenon_object_type),
                                             .language = TENON_LANGUAGE_C,
                                             .name = "c.Overriding",
                                             .override = return_self};
static const tenon_object_type declining = {.struct_size = sizeof(tenon_object_type),
                                            .language = TENON_LANGUAGE_C,
                                            .name = "c.Declining",
                                            .override = decline};
static const tenon_object_type watching = {.struct_size = sizeof(tenon_object_type),
                                           .language = TENON_LANGUAGE_C,
                                           .name = "c.Watching",
                                           .override = go_on,
                                           .dispatch = go_on};

static void release_tensor(void* tensor) { tenon_tensor_release(tensor); }
static void retain_tensor(void* tensor) { tenon_tensor_retain(tensor); }

// A wrapper's self is the tensor inside.
static const tenon_object_type wrapping = {.struct_size = sizeof(tenon_object_type),
                                           .language = TENON_LANGUAGE_C,
                                           .name = "c.Wrapping",
                                           .retain = retain_tensor,
                                           .release = release_tensor,
                                           .dispatch = unwrap_call_wrap};

static tenon_tensor* wrap(tenon_tensor* inside) {
  tenon_tensor* wrapper = NULL;
  const tenon_wrapper_options options = {.struct_size = sizeof options,
                                         .ndim = tenon_tensor_ndim(inside),
                                         .sizes = tenon_tensor_sizes(inside),
                                         .strides = tenon_tensor_strides(inside),
                                         .dtype = tenon_tensor_dtype(inside)};
  assert_ok(tenon_wrapper_new(&wrapping, inside, &options, &wrapper));
  return wrapper;
}

static tenon_status unwrap_call_wrap(void* self, const tenon_op* op, tenon_keyset keys,
                                     tenon_stack* stack) {
  (void)keys;
  ++handled;
  tenon_value arg = tenon_value_of_tensor(self);
  tenon_value ret = value_none();
  const tenon_status status = call(op, &arg, 1, &ret, 1);
  if (status != TENON_OK) return status;
  stack->rets[0] = tenon_value_of_tensor(wrap(ret.as.tensor));
  stack->rets[0].flags = TENON_VALUE_OWNED;
  tenon_value_clear(&ret);
  return TENON_OK;
}

static tenon_status same_cpu(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  return tenon_value_copy(&stack->args[0], &stack->rets[0]);
}

// overrides_c::same(Tensor a) -> Tensor, with a kernel for the CPU.
static tenon_library* define_same(const tenon_op** out_op) {
  tenon_library* library = NULL;
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, "overrides_c", TENON_KEY_NONE, __FILE__, __LINE__,
                              &library));
  assert_ok(tenon_library_define(library, "same(Tensor a) -> Tensor", NULL, out_op));
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = same_cpu;
  kernel.language = TENON_LANGUAGE_C;
  assert_ok(tenon_library_impl(library, "same", TENON_KEY_CPU, &kernel, NULL));
  handled = 0;
  return library;
}

static void an_object_answers_and_comes_home_in_a_carrier(void** state) {
  (void)state;
  const tenon_op* op;
  tenon_library* library = define_same(&op);
  tenon_object* object = NULL;
  assert_ok(tenon_object_new(&overriding, NULL, &object));
  tenon_value arg = object_value(object);
  tenon_value ret = value_none();
  assert_ok(call(op, &arg, 1, &ret, 1));
  assert_int_equal(handled, 1);
  assert_int_equal(ret.tag, TENON_TAG_TENSOR);
  assert_ptr_equal(tenon_object_of_value(&ret), object);
  assert_ptr_equal(tenon_carrier_value(ret.as.tensor)->as.object, object);
  // The carrier is as good as the object.
  tenon_value again = value_none();
  assert_ok(call(op, &ret, 1, &again, 1));
  assert_ptr_equal(tenon_object_of_value(&again), object);
  tenon_value_clear(&again);
  tenon_value_clear(&ret);
  tenon_object_release(object);
  tenon_library_release(library);
}

static void all_declined_is_a_type_error(void** state) {
  (void)state;
  const tenon_op* op;
  tenon_library* library = define_same(&op);
  tenon_object* object = NULL;
  assert_ok(tenon_object_new(&declining, NULL, &object));
  tenon_value arg = object_value(object);
  tenon_value ret = value_none();
  assert_error(call(op, &arg, 1, &ret, 1), TENON_ERROR_TYPE,
               "overrides_c::same: an override handler must accept the call, got TENON_DECLINED "
               "from types [c.Declining]");
  assert_int_equal(handled, 1);
  tenon_object_release(object);
  tenon_library_release(library);
}

static void a_wrapper_unwraps_calls_and_wraps(void** state) {
  (void)state;
  const tenon_op* op;
  tenon_library* library = define_same(&op);
  const int64_t sizes[2] = {2, 3};
  tenon_tensor* inside = NULL;
  assert_ok(tenon_tensor_new(TENON_DTYPE_F32, NULL, 2, sizes, NULL, &inside));
  tenon_tensor* wrapper = wrap(inside);
  tenon_value arg = tenon_value_of_tensor(wrapper);
  tenon_value ret = value_none();
  assert_ok(call(op, &arg, 1, &ret, 1));
  assert_int_equal(handled, 1);
  assert_non_null(tenon_wrapper_object(ret.as.tensor));
  assert_ptr_equal(tenon_object_self(tenon_wrapper_object(ret.as.tensor)), inside);
  assert_int_equal(tenon_tensor_sizes(ret.as.tensor)[1], 3);
  tenon_value_clear(&ret);
  tenon_tensor_release(wrapper);
  assert_int_equal(tenon_tensor_use_count(inside), 1);
  tenon_tensor_release(inside);
  tenon_library_release(library);
}

static tenon_keyset keyset_of(tenon_key key) {
  tenon_keyset keys = 0;
  assert_ok(tenon_keyset_from_key(key, &keys));
  return keys;
}

static void a_wrapper_claims_what_its_options_say(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float elements[6] = {0};
  tenon_tensor *inside = vector_of(elements, 6), *wrapper = NULL;
  const int64_t sizes[2] = {3, 2}, strides[2] = {1, 3};
  const tenon_device cuda = {TENON_DEVICE_CUDA, 1};
  const tenon_keyset tracer = keyset_of(TENON_KEY_TRACER);
  tenon_wrapper_options options = {.struct_size = sizeof options,
                                   .ndim = 2,
                                   .sizes = sizes,
                                   .strides = strides,
                                   .storage_offset = 4,
                                   .dtype = TENON_DTYPE_I64,
                                   .device = &cuda,
                                   .keys = tracer,
                                   .alias_of = inside};
  assert_ok(tenon_wrapper_new(&wrapping, inside, &options, &wrapper));
  tenon_tensor_info info;
  assert_ok(tenon_tensor_describe(wrapper, &info));
  assert_memory_equal(info.sizes, sizes, sizeof sizes);
  assert_memory_equal(info.strides, strides, sizeof strides);
  assert_int_equal(info.storage_offset, 4);
  assert_int_equal(info.device.index, 1);
  assert_false(info.flags & TENON_TENSOR_CONTIGUOUS);
  assert_null(info.data);
  assert_true(tenon_keyset_has(tenon_tensor_keys(wrapper), TENON_KEY_TRACER));
  tenon_tensor_bump_version(inside);
  assert_int_equal(tenon_tensor_version(wrapper), 1);
  tenon_tensor_release(wrapper);
  tenon_tensor_release(inside);
  assert_nothing_left(before);
}

static void bad_wrapper_options_are_refused(void** state) {
  (void)state;
  const live_counts before = count_live();
  const int64_t sizes[1] = {2}, negative[1] = {-1};
  const tenon_wrapper_options good = {
      .struct_size = sizeof good, .ndim = 1, .sizes = sizes, .dtype = TENON_DTYPE_F32};
  const float one = 1;
  tenon_tensor *inside = vector_of(&one, 1), *wrapper = NULL;
#define REFUSED(CHANGE, CODE, TEXT)                                                     \
  do {                                                                                  \
    tenon_wrapper_options options = good;                                               \
    options.CHANGE;                                                                     \
    assert_error(tenon_wrapper_new(&wrapping, inside, &options, &wrapper), CODE, TEXT); \
    assert_null(wrapper);                                                               \
  } while (0)
  REFUSED(struct_size = 96, TENON_ERROR_ABI, "struct_size must be at least 104, got 96");
  REFUSED(reserved0 = 1, TENON_ERROR_INVALID_ARGUMENT, "reserved fields must be zero");
  REFUSED(reserved1 = 1, TENON_ERROR_INVALID_ARGUMENT, "reserved fields must be zero");
  REFUSED(reserved[0] = 1, TENON_ERROR_INVALID_ARGUMENT, "reserved fields must be zero");
  REFUSED(ndim = -1, TENON_ERROR_INVALID_ARGUMENT, "ndim");
  REFUSED(sizes = NULL, TENON_ERROR_INVALID_ARGUMENT, "sizes");
  REFUSED(sizes = negative, TENON_ERROR_INVALID_ARGUMENT, "size of dim 0");
  REFUSED(strides = negative, TENON_ERROR_INVALID_ARGUMENT, "stride of dim 0");
  REFUSED(storage_offset = -1, TENON_ERROR_INVALID_ARGUMENT, "storage_offset");
  REFUSED(storage_offset = INT64_MAX, TENON_ERROR_INVALID_ARGUMENT, "63 bits");
  REFUSED(dtype = 77, TENON_ERROR_INVALID_ARGUMENT, "dtype");
  REFUSED(alias_of = tenon_tensor_undefined(), TENON_ERROR_INVALID_ARGUMENT, "alias_of");
  REFUSED(keys = 1, TENON_ERROR_INVALID_ARGUMENT, "keys");
  REFUSED(keys = keyset_of(TENON_KEY_CPU), TENON_ERROR_INVALID_ARGUMENT, "keys");
  REFUSED(keys = keyset_of(TENON_KEY_FAKE), TENON_ERROR_INVALID_ARGUMENT, "keys");
  REFUSED(keys = keyset_of(TENON_KEY_BATCHED), TENON_ERROR_INVALID_ARGUMENT, "keys");
  REFUSED(keys = keyset_of(TENON_KEY_OVERRIDE), TENON_ERROR_INVALID_ARGUMENT, "keys");
#undef REFUSED
  assert_error(tenon_wrapper_new(&wrapping, inside, NULL, &wrapper), TENON_ERROR_INVALID_ARGUMENT,
               "NULL");
  // None of them has told the type of an object.
  assert_int_equal(tenon_tensor_use_count(inside), 1);
  tenon_tensor_release(inside);
  assert_nothing_left(before);
}

static void modes_see_calls_before_and_below(void** state) {
  (void)state;
  const tenon_op* op;
  tenon_library* library = define_same(&op);
  tenon_object* mode = NULL;
  tenon_tensor* plain = NULL;
  assert_ok(tenon_object_new(&watching, NULL, &mode));
  assert_ok(tenon_tensor_new(TENON_DTYPE_F32, NULL, 0, NULL, NULL, &plain));
  assert_ok(tenon_mode_push(TENON_MODE_WRAPPER, mode));
  assert_ok(tenon_mode_push(TENON_MODE_OVERRIDE, mode));
  assert_ptr_equal(tenon_mode_get(TENON_MODE_OVERRIDE, 0), mode);
  tenon_value arg = tenon_value_of_tensor(plain);
  tenon_value ret = value_none();
  assert_ok(call(op, &arg, 1, &ret, 1));
  assert_int_equal(handled, 2);
  assert_ptr_equal(ret.as.tensor, plain);
  tenon_value_clear(&ret);
  assert_ok(tenon_mode_pop(TENON_MODE_OVERRIDE, tenon_mode_get(TENON_MODE_OVERRIDE, 0)));
  assert_ok(tenon_mode_pop(TENON_MODE_WRAPPER, tenon_mode_get(TENON_MODE_WRAPPER, 0)));
  assert_null(tenon_mode_get(TENON_MODE_WRAPPER, 0));
  assert_error(tenon_mode_pop(TENON_MODE_WRAPPER, NULL), TENON_ERROR_STATE, "got none");
  assert_ok(call(op, &arg, 1, &ret, 1));
  assert_int_equal(handled, 2);
  tenon_value_clear(&ret);
  tenon_tensor_release(plain);
  tenon_object_release(mode);
  tenon_library_release(library);
}

static void profiles_tell_whose_handler_was_asked(void** state) {
  (void)state;
  const tenon_op* op;
  tenon_library* library = define_same(&op);
  tenon_object* mode = NULL;
  tenon_tensor* plain = NULL;
  tenon_profile* profile = NULL;
  assert_ok(tenon_object_new(&watching, NULL, &mode));
  assert_ok(tenon_tensor_new(TENON_DTYPE_F32, NULL, 0, NULL, NULL, &plain));
  assert_ok(tenon_mode_push(TENON_MODE_WRAPPER, mode));
  assert_ok(tenon_profile_begin(0, &profile));
  tenon_value arg = tenon_value_of_tensor(plain);
  tenon_value ret = value_none();
  assert_ok(call(op, &arg, 1, &ret, 1));
  tenon_value_clear(&ret);
  assert_ok(tenon_profile_end(profile));
  assert_ok(tenon_mode_pop(TENON_MODE_WRAPPER, tenon_mode_get(TENON_MODE_WRAPPER, 0)));
  tenon_profile_span span = {.struct_size = sizeof span};
  assert_ok(tenon_profile_get_span(profile, 0, &span));
  assert_int_equal(span.key, TENON_KEY_WRAPPER);
  assert_string_equal(span.kernel, "run_wrappers");
  assert_string_equal(span.handler, watching.name);
  assert_int_equal(span.handler_language, watching.language);
  assert_ok(tenon_profile_get_span(profile, 1, &span));
  assert_int_equal(span.key, TENON_KEY_CPU);
  assert_string_equal(span.handler, "");
  tenon_profile_release(profile);
  tenon_tensor_release(plain);
  tenon_object_release(mode);
  tenon_library_release(library);
}

static void nothing_stays_alive(void** state) {
  (void)state;
  assert_int_equal(tenon_introspect_live_count(TENON_HANDLE_OBJECT), 0);
  assert_int_equal(tenon_introspect_live_count(TENON_HANDLE_TENSOR), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_object_answers_and_comes_home_in_a_carrier),
      cmocka_unit_test(all_declined_is_a_type_error),
      cmocka_unit_test(a_wrapper_unwraps_calls_and_wraps),
      cmocka_unit_test(a_wrapper_claims_what_its_options_say),
      cmocka_unit_test(bad_wrapper_options_are_refused),
      cmocka_unit_test(modes_see_calls_before_and_below),
      cmocka_unit_test(profiles_tell_whose_handler_was_asked),
      cmocka_unit_test(nothing_stays_alive),
  };
  return cmocka_run_group_tests_name("overrides", tests, NULL, NULL);
}
