// SPDX-License-Identifier: Apache-2.0
// generator.h from C: seeds, draws, states, defaults, and generators as values of calls.
#include "support.h"

// The first numbers of std::mt19937 with seed 7.
static const uint32_t kSeven[4] = {327741615u, 976413892u, 3349725721u, 1369975286u};

static tenon_value value_generator(tenon_generator* generator) {
  tenon_value value;
  memset(&value, 0, sizeof value);
  value.tag = TENON_TAG_GENERATOR;
  value.as.generator = generator;
  return value;
}

static void draws_are_those_of_the_seed(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_generator* generator = NULL;
  assert_ok(tenon_generator_new(NULL, 7, &generator));
  tenon_device device;
  tenon_generator_device(generator, &device);
  assert_int_equal(device.type, TENON_DEVICE_CPU);
  assert_int_equal(device.index, 0);
  assert_null(tenon_generator_native(generator));
  uint32_t numbers[4] = {0, 0, 0, 99};
  assert_ok(tenon_generator_random(generator, 3, numbers));
  assert_memory_equal(numbers, kSeven, 3 * sizeof *numbers);
  assert_int_equal(numbers[3], 99);
  assert_ok(tenon_generator_random(generator, 0, NULL));
  assert_ok(tenon_generator_seed(generator, UINT64_MAX));
  assert_true(tenon_generator_initial_seed(generator) == UINT64_MAX);
  assert_ok(tenon_generator_seed(generator, 7));
  double sample = 0;
  assert_ok(tenon_generator_normal(generator, 1, &sample));
  assert_true(sample == -0x1.2ca2e8774a1c0p-3);
  tenon_generator_release(generator);
  assert_null(tenon_generator_retain(NULL));
  tenon_generator_release(NULL);
  assert_nothing_left(before);
}

static void bad_arguments_are_named(void** state) {
  (void)state;
  tenon_generator* generator = (tenon_generator*)(void*)state;
  const tenon_device meta = {TENON_DEVICE_META, 0}, second = {TENON_DEVICE_CPU, 1},
                     nobody = {22, 0};
  assert_error(tenon_generator_new(&meta, 7, &generator), TENON_ERROR_NOT_SUPPORTED, "meta");
  assert_null(generator);
  assert_error(tenon_generator_open_default(&meta, &generator), TENON_ERROR_NOT_SUPPORTED, "meta");
  assert_error(tenon_generator_new(&second, 7, &generator), TENON_ERROR_INVALID_ARGUMENT, "index");
  assert_error(tenon_generator_new(&nobody, 7, &generator), TENON_ERROR_NOT_FOUND, "22");
  assert_ok(tenon_generator_new(NULL, 7, &generator));
  uint32_t number = 0;
  double sample = 0;
  assert_error(tenon_generator_random(generator, -1, &number), TENON_ERROR_INVALID_ARGUMENT,
               "tenon_generator_random: count must be >= 0, got -1");
  assert_error(tenon_generator_normal(generator, -1, &sample), TENON_ERROR_INVALID_ARGUMENT,
               "tenon_generator_normal: count must be >= 0, got -1");
  assert_ok(tenon_generator_random(generator, 1, &number));
  assert_int_equal(number, kSeven[0]);
  tenon_generator_release(generator);
}

static void states_bring_back_the_place(void** state) {
  (void)state;
  tenon_generator *generator = NULL, *other = NULL;
  assert_ok(tenon_generator_new(NULL, 7, &generator));
  assert_ok(tenon_generator_new(NULL, 1, &other));
  unsigned char bytes[5056];
  uint32_t number = 0;
  int64_t nbytes = 0;
  assert_ok(tenon_generator_random(generator, 1, &number));
  assert_ok(tenon_generator_state(generator, 0, NULL, &nbytes));
  assert_int_equal(nbytes, sizeof bytes);
  assert_error(tenon_generator_state(generator, 5055, bytes, &nbytes), TENON_ERROR_INVALID_ARGUMENT,
               "capacity must be at least 5056, got 5055");
  assert_int_equal(nbytes, 0);
  assert_ok(tenon_generator_state(generator, sizeof bytes, bytes, &nbytes));
  assert_int_equal(nbytes, sizeof bytes);
  assert_ok(tenon_generator_set_state(other, bytes, nbytes));
  assert_true(tenon_generator_initial_seed(other) == 7);
  assert_ok(tenon_generator_random(other, 1, &number));
  assert_int_equal(number, kSeven[1]);
  bytes[8] = 0;  // claims that no number is left, but also that 623 are
  assert_error(tenon_generator_set_state(other, bytes, nbytes), TENON_ERROR_INVALID_ARGUMENT,
               "state");
  assert_ok(tenon_generator_random(other, 1, &number));
  assert_int_equal(number, kSeven[2]);
  tenon_generator_release(generator);
  tenon_generator_release(other);
}

static void default_generator_is_one_and_seeded(void** state) {
  (void)state;
  const live_counts before = count_live();
  const tenon_device cpu = {TENON_DEVICE_CPU, 0};
  tenon_generator *generator = NULL, *same = NULL;
  assert_ok(tenon_generator_open_default(NULL, &generator));
  assert_true(tenon_generator_initial_seed(generator) == 67280421310721u);
  assert_ok(tenon_generator_open_default(&cpu, &same));
  assert_ptr_equal(generator, same);
  assert_ok(tenon_generator_seed_all(7));
  uint32_t number = 0;
  assert_ok(tenon_generator_random(generator, 1, &number));
  assert_int_equal(number, kSeven[0]);
  tenon_generator_release(generator);
  tenon_generator_release(same);
  assert_nothing_left(before);
}

static void values_retain_print_and_release(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_generator* generator = NULL;
  assert_ok(tenon_generator_new(NULL, 7, &generator));
  const tenon_value borrowed = value_generator(generator);
  tenon_value copy, list;
  assert_ok(tenon_value_copy(&borrowed, &copy));
  assert_ok(tenon_value_new_list(TENON_TAG_LIST, &borrowed, 1, &list));
  tenon_generator_release(generator);  // the values hold it
  tenon_buffer* text = NULL;
  assert_ok(tenon_value_print(&list, &text));
  assert_string_equal((const char*)tenon_buffer_data(text), "[Generator(cpu, seed 7)]");
  tenon_buffer_release(text);
  tenon_value_clear(&list);
  assert_true(tenon_generator_initial_seed(copy.as.generator) == 7);
  tenon_value_clear(&copy);
  const tenon_value none = value_generator(NULL);
  assert_error(tenon_value_copy(&none, &copy), TENON_ERROR_INVALID_ARGUMENT, "Generator");
  assert_nothing_left(before);
}

// Draws a number from the generator argument; fails if it is absent.
static tenon_status draw_one(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  uint32_t number = 0;
  const tenon_value* argument = &stack->args[1];
  if (argument->tag == TENON_TAG_GENERATOR) {
    const tenon_status status = tenon_generator_random(argument->as.generator, 1, &number);
    if (status != TENON_OK) return status;
  }
  stack->rets[0] = tenon_value_of_int(argument->tag == TENON_TAG_NONE ? -1 : (int64_t)number);
  return tenon_value_copy(argument, &stack->rets[1]);
}

static void calls_take_and_return_generators(void** state) {
  (void)state;
  const int64_t before = tenon_introspect_live_count(TENON_HANDLE_GENERATOR);
  tenon_library* library = NULL;
  const tenon_op* op = NULL;
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = draw_one;
  assert_ok(tenon_library_new(TENON_LIBRARY_FRAGMENT, "random_test", TENON_KEY_NONE, __FILE__,
                              __LINE__, &library));
  assert_ok(tenon_library_define(
      library, "one(Tensor x, Generator? generator=None) -> (int, Generator?)", NULL, &op));
  assert_ok(tenon_library_impl(library, "one", TENON_KEY_CPU, &kernel, NULL));
  const float zero = 0;
  tenon_tensor* tensor = vector_of(&zero, 1);
  tenon_generator* generator = NULL;
  assert_ok(tenon_generator_new(NULL, 7, &generator));
  tenon_value args[2] = {tenon_value_of_tensor(tensor), value_generator(generator)}, rets[2];
  assert_ok(call(op, args, 2, rets, 2));
  assert_int_equal(rets[0].as.i, kSeven[0]);
  assert_ptr_equal(rets[1].as.generator, generator);
  tenon_value_clear_n(rets, 2);
  memset(&args[1], 0, sizeof args[1]);
  assert_ok(call(op, args, 2, rets, 2));
  assert_int_equal(rets[0].as.i, -1);
  assert_int_equal(rets[1].tag, TENON_TAG_NONE);
  tenon_stack stack;
  memset(&stack, 0, sizeof stack);
  stack.args = args;
  stack.nargs = 2;
  stack.rets = rets;
  stack.nrets = 2;
  args[1] = tenon_value_of_int(7);
  assert_error(tenon_op_call(op, &stack), TENON_ERROR_TYPE,
               "generator must be Generator?, got int");
  args[1] = value_generator(NULL);
  assert_error(tenon_op_call(op, &stack), TENON_ERROR_TYPE,
               "generator must be Generator?, got NULL");
  tenon_generator_release(generator);
  tenon_tensor_release(tensor);
  tenon_library_release(library);
  assert_int_equal(tenon_introspect_live_count(TENON_HANDLE_GENERATOR), before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      // Runs first: it reads the seed before one is set.
      cmocka_unit_test(default_generator_is_one_and_seeded),
      cmocka_unit_test(draws_are_those_of_the_seed),
      cmocka_unit_test(bad_arguments_are_named),
      cmocka_unit_test(states_bring_back_the_place),
      cmocka_unit_test(values_retain_print_and_release),
      cmocka_unit_test(calls_take_and_return_generators),
  };
  return cmocka_run_group_tests_name("generator", tests, NULL, NULL);
}
