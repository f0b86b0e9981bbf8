// SPDX-License-Identifier: Apache-2.0
// Kernels that replace shipped ones, in processes that have called no operator yet. Each test runs
// in a child process, because operators are loaded once per process.
#define _POSIX_C_SOURCE 200809L  // fork

#include "support.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static tenon_status return_argument(void* ctx, const tenon_op* op, tenon_keyset keys,
                                    tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  return tenon_value_copy(&stack->args[0], &stack->rets[0]);
}

// relu(-1): 0 by the shipped kernel, -1 by those of this test.
static float relu_of_minus_one(void) {
  const float minus_one = -1;
  const tenon_op* op = NULL;
  if (tenon_op_find("aten::relu", &op) != TENON_OK) return 100;
  tenon_tensor* x = NULL;
  const int64_t count = 1;
  void* data = NULL;
  if (tenon_tensor_new(TENON_DTYPE_F32, NULL, 1, &count, NULL, &x) != TENON_OK) return 101;
  if (tenon_tensor_data(x, &data) != TENON_OK) return 102;
  *(float*)data = minus_one;
  tenon_value args[1] = {tenon_value_of_tensor(x)}, rets[1];
  if (call(op, args, 1, rets, 1) != TENON_OK) return 103;
  if (tenon_tensor_data(rets[0].as.tensor, &data) != TENON_OK) return 104;
  const float result = *(float*)data;
  tenon_value_clear(&rets[0]);
  tenon_tensor_release(x);
  return result;
}

static tenon_status override_relu(uint32_t kind, tenon_library** out_library) {
  tenon_status status =
      tenon_library_new(kind, "aten", TENON_KEY_NONE, __FILE__, __LINE__, out_library);
  if (status != TENON_OK) return status;
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = &return_argument;
  kernel.language = TENON_LANGUAGE_C;
  return tenon_library_impl(*out_library, "relu", TENON_KEY_CPU, &kernel, NULL);
}

// Runs in a child process: returns 0 if all checks pass, otherwise the number of the failed one.
static int of_kind(uint32_t kind) {
  tenon_library* library = NULL;
  if (override_relu(kind, &library) != TENON_OK) return 1;
  if (relu_of_minus_one() != -1) return 2;
  tenon_library_release(library);
  return relu_of_minus_one() == 0 ? 0 : 3;
}
static int with_an_impl_library(void) { return of_kind(TENON_LIBRARY_IMPL); }
static int with_a_fragment(void) { return of_kind(TENON_LIBRARY_FRAGMENT); }

static int with_a_plugin(void) {
  tenon_plugin* plugin = NULL;
  if (tenon_plugin_load(PLUGIN_OVERRIDING, &plugin) != TENON_OK) return 1;
  if (relu_of_minus_one() != -1) return 2;
  if (tenon_plugin_unload(plugin, -1) != TENON_OK) return 3;
  return relu_of_minus_one() == 0 ? 0 : 4;
}

static int over_a_plugin_loaded_by_name(void) {
  if (tenon_plugin_load("tenon_cpu", NULL) != TENON_OK) return 1;
  return with_an_impl_library();
}

static void* load_by_name(void* argument) {
  *(tenon_status*)argument = tenon_plugin_load("tenon_cpu", NULL);
  return NULL;
}

// One thread loads the kernels by name while the other loads them by a lookup; there must be no
// deadlock.
static int from_two_threads(void) {
  tenon_status status = TENON_ERROR_STATE;
  pthread_t thread;
  if (pthread_create(&thread, NULL, &load_by_name, &status) != 0) return 1;
  const int answer = with_an_impl_library();
  if (pthread_join(thread, NULL) != 0) return 5;
  return status == TENON_OK ? answer : 6;
}

static void run_in_child(int (*test)(void)) {
  fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    alarm(60);
    const int answer = test();
    _exit(answer);
  }
  int state = 0;
  assert_int_equal(waitpid(child, &state, 0), child);
  assert_true(WIFEXITED(state));
  assert_int_equal(WEXITSTATUS(state), 0);
}

static void impl_library_wins(void** state) {
  (void)state;
  run_in_child(&with_an_impl_library);
}
static void fragment_wins(void** state) {
  (void)state;
  run_in_child(&with_a_fragment);
}
static void plugin_that_overrides_at_load_wins(void** state) {
  (void)state;
  run_in_child(&with_a_plugin);
}
static void library_wins_over_a_plugin_loaded_by_name(void** state) {
  (void)state;
  run_in_child(&over_a_plugin_loaded_by_name);
}
static void two_threads_do_not_wait_for_each_other(void** state) {
  (void)state;
  for (int round = 0; round < 20; ++round) run_in_child(&from_two_threads);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(impl_library_wins),
      cmocka_unit_test(fragment_wins),
      cmocka_unit_test(plugin_that_overrides_at_load_wins),
      cmocka_unit_test(library_wins_over_a_plugin_loaded_by_name),
      cmocka_unit_test(two_threads_do_not_wait_for_each_other),
  };
  return cmocka_run_group_tests_name("first override", tests, NULL, NULL);
}
