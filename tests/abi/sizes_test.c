// SPDX-License-Identifier: Apache-2.0
// Structs with a size field, passed by clients that know fewer or more fields than the library.
// Compiled against the current headers, and against a copy in which each such struct has a further
// field `later`.
#include "first/client.h"

#ifdef GROWN
#define GROWN_FIELDS 1
#define LATER(object) (object).later
#else
#define GROWN_FIELDS 0
#define LATER(object) unknown_field
static uint64_t unknown_field;
#endif

static tenon_status nothing(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys, (void)stack;
  return TENON_OK;
}

static tenon_library* open_library(const char* ns) {
  tenon_library* library = NULL;
  REQUIRE(tenon_library_new(TENON_LIBRARY_DEF, ns, TENON_KEY_NONE, __FILE__, __LINE__, &library));
  return library;
}

// The library must accept or refuse a struct of another size; `call` passes `object`.
#define CHECK_SIZES(object, call)                                                     \
  do {                                                                                \
    (object).struct_size = sizeof(object);                                            \
    LATER(object) = 0;                                                                \
    REQUIRE(call);                                                                    \
    assert_true(LATER(object) == 0);                                                  \
    (object).struct_size = 8;                                                         \
    require_error((call), TENON_ERROR_ABI, "struct_size must be at least");           \
    (object).struct_size = 0;                                                         \
    require_error((call), TENON_ERROR_ABI, "struct_size must be at least");           \
    (object).struct_size = sizeof(object);                                            \
    LATER(object) = 1;                                                                \
    if (GROWN_FIELDS) {                                                               \
      require_error((call), TENON_ERROR_ABI, "unknown to this version must be zero"); \
    }                                                                                 \
    LATER(object) = 0;                                                                \
  } while (0)
static void filled_structs(void** state) {
  (void)state;
  tenon_schema* schema = NULL;
  REQUIRE(tenon_schema_parse("ns::f(Tensor x, int n=2) -> Tensor", -1, &schema));
  tenon_argument_info argument;
  memset(&argument, 0, sizeof argument);
  CHECK_SIZES(argument, tenon_schema_get_argument(schema, 1, &argument));
  REQUIRE(tenon_schema_get_argument(schema, 1, &argument));
  assert_string_equal(argument.name, "n");
  assert_int_equal(argument.aliased_argument, -1);  // the last field of the first version
  CHECK_SIZES(argument, tenon_schema_get_return(schema, 0, &argument));
  tenon_schema_release(schema);

  tenon_library* library = open_library("sizes_filled");
  const tenon_op* op = NULL;
  REQUIRE(tenon_library_define(library, "f() -> ()", NULL, &op));
  tenon_slot_info slot;
  memset(&slot, 0, sizeof slot);
  CHECK_SIZES(slot, tenon_introspect_get_slot(op, TENON_KEY_CPU, &slot));
  tenon_kernel kernel = {.struct_size = sizeof kernel, .boxed = nothing, .name = "nothing"};
  REQUIRE(tenon_library_impl(library, "f", TENON_KEY_CPU, &kernel, NULL));
  tenon_profile* profile = NULL;
  REQUIRE(tenon_profile_begin(0, &profile));
  REQUIRE(call(op, NULL, 0, NULL, 0));
  REQUIRE(tenon_profile_end(profile));
  tenon_profile_span span;
  memset(&span, 0, sizeof span);
  CHECK_SIZES(span, tenon_profile_get_span(profile, 0, &span));
  REQUIRE(tenon_profile_get_span(profile, 0, &span));
  assert_string_equal(span.kernel, "nothing");
  tenon_profile_release(profile);
  tenon_library_release(library);
}

static int defined;
static tenon_status define(tenon_library* library, const tenon_define_options* options) {
  char schema[40];
  const tenon_op* op = NULL;
  snprintf(schema, sizeof schema, "f%d() -> ()", ++defined);
  return tenon_library_define(library, schema, options, &op);
}

static void read_structs(void** state) {
  (void)state;
  tenon_library* library = open_library("sizes_read");
  tenon_define_options options;
  memset(&options, 0, sizeof options);
  CHECK_SIZES(options, define(library, &options));
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.boxed = nothing;
  CHECK_SIZES(kernel, tenon_library_impl(library, "f1", TENON_KEY_CPU, &kernel, NULL));
  tenon_library_release(library);
}

static tenon_status dispatch(void* self, const tenon_op* op, tenon_keyset keys,
                             tenon_stack* stack) {
  (void)self;
  return nothing(NULL, op, keys, stack);
}

static tenon_status make_wrapper(const tenon_wrapper_options* options) {
  static const tenon_object_type type = {
      .struct_size = sizeof type, .name = "test.Sized", .dispatch = dispatch};
  tenon_tensor* tensor = NULL;
  const tenon_status status = tenon_wrapper_new(&type, NULL, options, &tensor);
  tenon_tensor_release(tensor);
  return status;
}

static void wrappers_options(void** state) {
  (void)state;
  const int64_t size = 2;
  tenon_wrapper_options options;
  memset(&options, 0, sizeof options);
  options.ndim = 1;
  options.sizes = &size;
  options.dtype = TENON_DTYPE_F32;
  CHECK_SIZES(options, make_wrapper(&options));
}

static void plugins_descriptor(void** state) {
  (void)state;
  tenon_plugin* plugin = NULL;
  REQUIRE(tenon_plugin_load(PLUGIN, &plugin));
  assert_non_null(plugin);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(filled_structs),
      cmocka_unit_test(read_structs),
      cmocka_unit_test(wrappers_options),
      cmocka_unit_test(plugins_descriptor),
  };
  return cmocka_run_group_tests_name("sizes", tests, NULL, NULL);
}
