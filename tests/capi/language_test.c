// SPDX-License-Identifier: Apache-2.0
// A sixth language, written here in C: its number, its cells on tensors, its exceptions in errors,
// its frames, its kernels and objects.
#include <stdlib.h>

#include "support.h"

static uint32_t go;

// The language's object for a tensor: one per tensor, with a separate reference count.
typedef struct go_tensor {
  tenon_tensor* handle;  // one reference while the object is held by the language
  int references;        // of the language's program
  int attribute;         // what the program hung on it, for which it must live on
} go_tensor;
static int go_tensors;

static void go_free(void* self) {
  free(self);
  --go_tensors;
}

// Returns a tensor's only language object: found by its cell, created on demand.
static go_tensor* go_of(tenon_tensor* tensor) {
  void** cell = tenon_tensor_cell(tensor, go);
  assert_non_null(cell);
  go_tensor* self = *cell;
  if (self == NULL) {
    self = calloc(1, sizeof *self);
    ++go_tensors;
    *cell = self;
  } else if (self->references == 0) {
    // It lay in the cell, which owned it: the program has it again.
    assert_ok(tenon_tensor_own_cell(tensor, go, self, NULL));
  }
  if (self->references++ == 0) self->handle = tenon_tensor_retain(tensor);
  return self;
}

// The program drops its last reference: an object with an attribute moves into the cell.
static void go_drop(go_tensor* self) {
  tenon_tensor* tensor = self->handle;
  if (--self->references != 0) return;
  self->handle = NULL;
  if (self->attribute != 0) {
    assert_ok(tenon_tensor_own_cell(tensor, go, self, &go_free));
  } else {
    *tenon_tensor_cell(tensor, go) = NULL;
    go_free(self);
  }
  tenon_tensor_release(tensor);
}

static void names_have_one_number(void** state) {
  (void)state;
  uint32_t number = 0, other = 0;
  assert_true(go > TENON_LANGUAGE_RUST);
  assert_ok(tenon_language_register("Go", &number));
  assert_int_equal(number, go);
  assert_string_equal(tenon_language_name(go), "Go");
  assert_ok(tenon_language_register("Julia", &other));
  assert_int_not_equal(other, go);
  assert_ok(tenon_language_register("Rust", &number));
  assert_int_equal(number, TENON_LANGUAGE_RUST);
  assert_string_equal(tenon_language_name(TENON_LANGUAGE_NONE), "");
  assert_null(tenon_language_name(31));
  assert_null(tenon_language_name(99));
  assert_error(tenon_language_register(NULL, &number), TENON_ERROR_INVALID_ARGUMENT, "NULL");
  assert_int_equal(number, TENON_LANGUAGE_NONE);
  assert_error(tenon_language_register("", &number), TENON_ERROR_INVALID_ARGUMENT, "empty");
}

static void one_object_stands_for_one_tensor(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float one = 1;
  tenon_tensor* tensor = vector_of(&one, 1);
  go_tensor* self = go_of(tensor);
  assert_ptr_equal(go_of(tensor), self);
  assert_int_equal(tenon_tensor_use_count(tensor), 2);
  assert_null(*tenon_tensor_cell(tensor, TENON_LANGUAGE_C));
  assert_null(*tenon_tensor_cell(tensor, TENON_LANGUAGE_PYTHON));
  go_drop(self);
  go_drop(self);
  assert_int_equal(go_tensors, 0);
  assert_null(*tenon_tensor_cell(tensor, go));
  tenon_tensor_release(tensor);
  assert_nothing_left(before);
}

// The program drops its object while C holds the tensor, and later receives the tensor again.
static void an_object_with_attributes_is_resurrected(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float one = 1;
  tenon_tensor* tensor = vector_of(&one, 1);
  go_tensor* self = go_of(tensor);
  self->attribute = 7;
  go_drop(self);
  assert_int_equal(go_tensors, 1);
  assert_int_equal(tenon_tensor_use_count(tensor), 1);
  go_tensor* again = go_of(tensor);
  assert_ptr_equal(again, self);
  assert_int_equal(again->attribute, 7);
  // The tensor ends while the program has the object: the cell is weak, so nothing is dropped.
  tenon_tensor_release(tensor);
  assert_int_equal(go_tensors, 1);
  go_drop(again);
  assert_int_equal(go_tensors, 0);
  assert_nothing_left(before);
}

static void count_delete(void* ctx) { ++*(int*)ctx; }

static void cells_of_registered_languages_are_apart(void** state) {
  (void)state;
  uint32_t julia = 0;
  int dropped_go = 0, dropped_julia = 0;
  const float one = 1;
  assert_ok(tenon_language_register("Julia", &julia));
  tenon_tensor* tensor = vector_of(&one, 1);
  assert_ok(tenon_tensor_own_cell(tensor, go, &dropped_go, &count_delete));
  assert_ok(tenon_tensor_own_cell(tensor, go, &dropped_go, NULL));
  assert_ok(tenon_tensor_own_cell(tensor, julia, &dropped_julia, &count_delete));
  assert_ptr_equal(*tenon_tensor_cell(tensor, go), &dropped_go);
  assert_ptr_equal(*tenon_tensor_cell(tensor, julia), &dropped_julia);
  assert_null(tenon_tensor_cell(tensor, 31));
  assert_error(tenon_tensor_own_cell(tensor, 31, &dropped_go, NULL), TENON_ERROR_INVALID_ARGUMENT,
               "31");
  tenon_tensor_release(tensor);
  assert_int_equal(dropped_go, 0);
  assert_int_equal(dropped_julia, 1);
}

static int panics_dropped;
static void drop_panic(void* panic) {
  free(panic);
  ++panics_dropped;
}

static void payloads_come_home_to_their_language(void** state) {
  (void)state;
  panics_dropped = 0;
  int* panic = malloc(sizeof *panic);
  tenon_error* error = tenon_error_new(TENON_ERROR_RUNTIME, "go.Panic", "index out of range");
  tenon_error_set_payload(error, go, panic, &drop_panic);
  tenon_error_add_frame(error, go, "main.kernel", "kernel.go", 12);
  assert_ptr_equal(tenon_error_payload(error, go), panic);
  assert_null(tenon_error_payload(error, TENON_LANGUAGE_C));
  assert_null(tenon_error_payload(error, TENON_LANGUAGE_PYTHON));
  tenon_error_frame frame;
  assert_ok(tenon_error_get_frame(error, 0, &frame));
  assert_int_equal(frame.language, go);
  assert_string_equal(frame.function, "main.kernel");
  assert_non_null(strstr(tenon_error_format(error), "Go"));
  assert_non_null(strstr(tenon_error_format(error), "kernel.go"));
  tenon_error_release(error);
  assert_int_equal(panics_dropped, 1);
}

static tenon_status panic_kernel(void* ctx, const tenon_op* op, tenon_keyset keys,
                                 tenon_stack* stack) {
  (void)op;
  (void)keys;
  stack->error = tenon_error_new(TENON_ERROR_RUNTIME, "go.Panic", "from a kernel");
  tenon_error_set_payload(stack->error, go, ctx, &drop_panic);
  return TENON_ERROR_RUNTIME;
}

static void kernels_and_objects_carry_the_number(void** state) {
  (void)state;
  panics_dropped = 0;
  int* panic = malloc(sizeof *panic);
  const tenon_op* op;
  tenon_library* library;
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, "language_c", TENON_KEY_NONE, __FILE__, __LINE__,
                              &library));
  assert_ok(tenon_library_define(library, "panic(Tensor a) -> Tensor", NULL, &op));
  const live_counts before = count_live();  // the first library brings the built-in kernels
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = &panic_kernel;
  kernel.ctx = panic;
  kernel.language = 31;
  assert_error(tenon_library_impl(library, "panic", TENON_KEY_CPU, &kernel, NULL),
               TENON_ERROR_INVALID_ARGUMENT, "31");
  kernel.language = go;
  tenon_registration* registration = NULL;
  assert_ok(tenon_library_impl(library, "panic", TENON_KEY_CPU, &kernel, &registration));
  const float one = 1;
  tenon_tensor* tensor = vector_of(&one, 1);
  tenon_value arg = tenon_value_of_tensor(tensor), ret;
  assert_int_equal(call(op, &arg, 1, &ret, 1), TENON_ERROR_RUNTIME);
  tenon_error* error = tenon_error_take();
  assert_ptr_equal(tenon_error_payload(error, go), panic);
  tenon_error_release(error);
  assert_int_equal(panics_dropped, 1);

  const tenon_object_type type = {.struct_size = sizeof type, .language = go, .name = "go.Object"};
  tenon_object* object;
  assert_ok(tenon_object_new(&type, NULL, &object));
  assert_int_equal(tenon_object_get_type(object)->language, go);
  tenon_object_release(object);
  tenon_tensor_release(tensor);
  tenon_registration_remove(registration);
  tenon_registration_release(registration);
  assert_nothing_left(before);
  tenon_library_close(library);
  tenon_library_release(library);
}

static int set_up(void** state) {
  (void)state;
  return tenon_language_register("Go", &go);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_have_one_number),
      cmocka_unit_test(one_object_stands_for_one_tensor),
      cmocka_unit_test(an_object_with_attributes_is_resurrected),
      cmocka_unit_test(cells_of_registered_languages_are_apart),
      cmocka_unit_test(payloads_come_home_to_their_language),
      cmocka_unit_test(kernels_and_objects_carry_the_number),
  };
  return cmocka_run_group_tests_name("languages", tests, set_up, NULL);
}
