// SPDX-License-Identifier: Apache-2.0
// The kept C client: loads the plugin that it is given, runs all cases on it, unloads it, and
// counts what is left.
#include <stdlib.h>

#include "client.h"

static const char* path = NULL;  // of the plugin
static tenon_plugin* plugin = NULL;
enum { kMostKinds = 64 };
static int64_t live_before[kMostKinds];

static void count_live(int64_t* counts) {
  tenon_registry_reap();
  assert_true(tenon_introspect_handle_count() <= kMostKinds);
  for (uint32_t kind = 0; kind < tenon_introspect_handle_count(); ++kind) {
    counts[kind] = tenon_introspect_live_count(kind);
  }
}

static void the_plugin_loads(void** state) {
  (void)state;
  tenon_plugin* again = NULL;
  tenon_buffer* ops = NULL;
  REQUIRE(tenon_introspect_list_ops(&ops));  // creates the registry's built-in fallbacks
  tenon_buffer_release(ops);
  count_live(live_before);
  REQUIRE(tenon_plugin_load(path, &plugin));
  assert_string_equal(tenon_plugin_name(plugin), "abi_first");
  assert_string_equal(tenon_plugin_version(plugin), "0.1");
  assert_non_null(strstr(tenon_plugin_path(plugin), "abi_"));
  assert_int_equal(tenon_plugin_is_loaded(plugin), 1);
  REQUIRE(tenon_plugin_load("abi_first", &again));
  assert_ptr_equal(plugin, again);
}

static void the_plugin_unloads_loads_again_and_leaves_nothing(void** state) {
  (void)state;
  int64_t live[kMostKinds];
  const tenon_op* op = NULL;
  REQUIRE(tenon_plugin_unload(plugin, -1));
  assert_int_equal(tenon_plugin_is_loaded(plugin), 0);
  require_error(tenon_op_find("first::scale", &op), TENON_ERROR_NOT_FOUND, "first");
  REQUIRE(tenon_plugin_load(path, &plugin));
  REQUIRE(tenon_op_find("first::scale", &op));
  REQUIRE(tenon_plugin_unload(plugin, -1));
  count_live(live);
  for (uint32_t kind = 0; kind < tenon_introspect_handle_count(); ++kind) {
    if (live[kind] != live_before[kind]) {
      fail_msg("live %s handles must be %lld again, got %lld", tenon_introspect_handle_name(kind),
               (long long)live_before[kind], (long long)live[kind]);
    }
  }
}

int main(int argc, char** argv) {
  struct CMUnitTest all[60];
  size_t count = 0;
  if (argc != 2) {
    fprintf(stderr, "usage: %s PLUGIN\n", argv[0]);
    return 2;
  }
  path = argv[1];
  all[count++] = (struct CMUnitTest)cmocka_unit_test(the_plugin_loads);
  for (const struct CMUnitTest* one = data_cases; one->name != NULL; ++one) all[count++] = *one;
  for (const struct CMUnitTest* one = call_cases; one->name != NULL; ++one) all[count++] = *one;
  for (const struct CMUnitTest* one = layer_cases; one->name != NULL; ++one) all[count++] = *one;
  all[count++] =
      (struct CMUnitTest)cmocka_unit_test(the_plugin_unloads_loads_again_and_leaves_nothing);
  return _cmocka_run_group_tests("first headers", all, count, NULL, NULL);
}
