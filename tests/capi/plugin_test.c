// SPDX-License-Identifier: Apache-2.0
// plugin.h from C: loading, refusing, unloading plugins.
#define _POSIX_C_SOURCE 200809L  // setenv

#include "support.h"

#include <stdlib.h>

static void good_plugin_loads_unloads_and_loads_again(void** state) {
  (void)state;
  tenon_plugin *plugin = NULL, *again = NULL;
  const tenon_op* op = NULL;
  assert_error(tenon_op_find("plugin_good::three", &op), TENON_ERROR_NOT_FOUND, "plugin_good");
  assert_ok(tenon_plugin_load(PLUGIN_GOOD, &plugin));
  assert_string_equal(tenon_plugin_name(plugin), "plugin_good");
  assert_string_equal(tenon_plugin_version(plugin), "1.2.3");
  assert_string_equal(tenon_plugin_path(plugin), PLUGIN_GOOD);
  assert_int_equal(tenon_plugin_is_loaded(plugin), 1);
  assert_ok(tenon_plugin_load(PLUGIN_GOOD, &again));
  assert_ptr_equal(plugin, again);
  assert_ok(tenon_op_find("plugin_good::three", &op));
  tenon_value rets[1];
  assert_ok(call(op, NULL, 0, rets, 1));
  assert_int_equal(rets[0].as.i, 3);
  assert_ok(tenon_plugin_unload(plugin, -1));
  assert_int_equal(tenon_plugin_is_loaded(plugin), 0);
  assert_error(call(op, NULL, 0, rets, 1), TENON_ERROR_NOT_FOUND, "plugin_good::three");
  assert_ok(tenon_plugin_load(PLUGIN_GOOD, &again));
  assert_ptr_equal(plugin, again);
  assert_ok(call(op, NULL, 0, rets, 1));
  assert_ok(tenon_plugin_unload(plugin, -1));
}

static void missing_file_is_named(void** state) {
  (void)state;
  tenon_plugin* plugin = NULL;
  assert_error(tenon_plugin_load("/nowhere/libnothing.so", &plugin), TENON_ERROR_NOT_FOUND,
               "/nowhere/libnothing.so");
  assert_error(tenon_plugin_load("no_such_plugin", &plugin), TENON_ERROR_NOT_FOUND,
               "no_such_plugin");
  assert_null(plugin);
}

static void a_file_that_is_no_plugin_is_refused(void** state) {
  (void)state;
  tenon_plugin* plugin = NULL;
  assert_error(tenon_plugin_load(NOT_A_LIBRARY, &plugin), TENON_ERROR_SYSTEM, "plugin_test");
  assert_error(tenon_plugin_load(PLUGIN_WITHOUT_QUERY, &plugin), TENON_ERROR_ABI,
               "tenon_plugin_query");
}

static void another_abi_is_refused_before_its_code_runs(void** state) {
  (void)state;
  tenon_plugin* plugin = NULL;
  assert_error(tenon_plugin_load(PLUGIN_OTHER_ABI, &plugin), TENON_ERROR_ABI, "ABI");
  assert_null(plugin);
  assert_null(tenon_error_peek());
}

static void failing_load_leaves_nothing(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_plugin* plugin = NULL;
  const tenon_op* op = NULL;
  assert_error(tenon_plugin_load(PLUGIN_FAILING, &plugin), TENON_ERROR_STATE, "will not load");
  assert_error(tenon_op_find("plugin_failing::f", &op), TENON_ERROR_NOT_FOUND, "plugin_failing");
  assert_nothing_left(before);
}

// The host closes libraries that a failed load left open; the namespace and the name are free
// again.
static void failing_load_that_leaves_a_library_open_leaves_nothing(void** state) {
  (void)state;
  tenon_plugin *plugin = NULL, *other = NULL;
  const tenon_op* op = NULL;
  const int64_t registrations = tenon_introspect_live_count(TENON_HANDLE_REGISTRATION);
  const int64_t kernels = tenon_introspect_live_count(TENON_HANDLE_KERNEL);
  setenv("TENON_TEST_FAIL", "1", 1);
  for (int i = 0; i < 3; ++i) {
    unsetenv("TENON_TEST_DELETED");
    assert_error(tenon_plugin_load(PLUGIN_LEAVES_THINGS, &plugin), TENON_ERROR_SYSTEM,
                 "no such device");
    assert_null(plugin);
    assert_non_null(getenv("TENON_TEST_DELETED"));
    assert_error(tenon_op_find("leaves_things::seven", &op), TENON_ERROR_NOT_FOUND, "seven");
  }
  assert_int_equal(tenon_introspect_live_count(TENON_HANDLE_REGISTRATION), registrations);
  assert_int_equal(tenon_introspect_live_count(TENON_HANDLE_KERNEL), kernels);
  unsetenv("TENON_TEST_FAIL");
  assert_ok(tenon_plugin_load(PLUGIN_LEAVES_THINGS_TOO, &other));
  assert_string_equal(tenon_plugin_path(other), PLUGIN_LEAVES_THINGS_TOO);
  assert_ok(tenon_op_find("leaves_things::seven", &op));
  assert_error(tenon_plugin_load(PLUGIN_LEAVES_THINGS, &plugin), TENON_ERROR_ALREADY_EXISTS,
               "leaves_things");
  assert_ok(tenon_plugin_unload(other, -1));
  tenon_plugin* again = NULL;
  assert_ok(tenon_plugin_load("leaves_things", &again));
  assert_ptr_equal(again, other);
  assert_ok(tenon_plugin_unload(again, -1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_plugin_loads_unloads_and_loads_again),
      cmocka_unit_test(missing_file_is_named),
      cmocka_unit_test(a_file_that_is_no_plugin_is_refused),
      cmocka_unit_test(another_abi_is_refused_before_its_code_runs),
      cmocka_unit_test(failing_load_leaves_nothing),
      cmocka_unit_test(failing_load_that_leaves_a_library_open_leaves_nothing),
  };
  return cmocka_run_group_tests_name("plugin", tests, NULL, NULL);
}
