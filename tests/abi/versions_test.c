// SPDX-License-Identifier: Apache-2.0
// Plugins and hosts of different ABI versions: which are accepted, and the message of a refusal.
#include <dlfcn.h>

#include "first/client.h"

static tenon_plugin_query_fn query_of(const char* path) {
  tenon_plugin_query_fn query = NULL;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  assert_non_null(library);
  *(void**)&query = dlsym(library, TENON_PLUGIN_QUERY_NAME);
  assert_non_null(query);
  return query;
}

static void a_plugin_serves_hosts_from_its_own_minor_on(void** state) {
  (void)state;
  const tenon_plugin_query_fn query = query_of(PLUGIN_HEAD);
  const uint32_t own = TENON_ABI_VERSION, least = TENON_ABI_MAJOR << 16;
  assert_non_null(query(least, own));
  assert_non_null(query(least, own + 1));  // a newer host of the same major
  assert_null(query(least, own - 1));      // an older host
  assert_null(query(least + (1u << 16), own + (1u << 16)));
}

static void a_plugin_of_a_newer_minor_is_refused_readably(void** state) {
  (void)state;
  char wanted[40];
  const char* const paths[] = {PLUGIN_NEXT, PLUGIN_CPP_NEXT};
  snprintf(wanted, sizeof wanted, "must support ABI %d.%d", TENON_ABI_MAJOR, TENON_ABI_MINOR);
  for (size_t i = 0; i < 2; ++i) {
    tenon_plugin* plugin = NULL;
    require_error(tenon_plugin_load(paths[i], &plugin), TENON_ERROR_ABI, wanted);
    require_error(tenon_plugin_load(paths[i], &plugin), TENON_ERROR_ABI, paths[i]);
    assert_null(plugin);
  }
  assert_int_equal(query_of(PLUGIN_NEXT)(0, UINT32_MAX)->abi_version, TENON_ABI_VERSION + 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plugin_serves_hosts_from_its_own_minor_on),
      cmocka_unit_test(a_plugin_of_a_newer_minor_is_refused_readably),
  };
  return cmocka_run_group_tests_name("versions", tests, NULL, NULL);
}
