/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin for the loader's tests; a macro selects at compile time what is wrong with it. The
 * program that loads it provides all library symbols that it needs.
 */
#include <stdint.h>
#include <string.h>

#include "tenon/tenon.h"

#if !defined(PLUGIN_NAME)
#define PLUGIN_NAME "good"
#endif
#if !defined(PLUGIN_ABI)
#define PLUGIN_ABI TENON_ABI_VERSION
#endif
#if !defined(PLUGIN_SANITIZER)
#define PLUGIN_SANITIZER TENON_SANITIZER_CURRENT
#endif
#if !defined(PLUGIN_SIZE)
#define PLUGIN_SIZE sizeof(tenon_plugin_descriptor)
#endif

/* Number of times that load and unload ran, which tests read. */
TENON_EXPORT int plugin_loads = 0;
TENON_EXPORT int plugin_unloads = 0;

static tenon_status answer(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  stack->rets[0].tag = TENON_TAG_INT;
  stack->rets[0].as.i = 42;
  return TENON_OK;
}

static tenon_status load(tenon_plugin* self, void** out_state) {
  tenon_library* library = NULL;
  tenon_kernel kernel;
  tenon_status status;
  (void)self;
  ++plugin_loads;
#if defined(PLUGIN_FAILS)
  return tenon_error_raise(TENON_ERROR_SYSTEM, "the driver is missing");
#endif
  status = tenon_library_new(TENON_LIBRARY_FRAGMENT, "plugged", TENON_KEY_NONE, "test_plugin.c", 1,
                             &library);
  if (status != TENON_OK) return status;
  status = tenon_library_define(library, PLUGIN_NAME "() -> int", NULL, NULL);
  if (status == TENON_OK) {
    memset(&kernel, 0, sizeof kernel);
    kernel.struct_size = sizeof kernel;
    kernel.boxed = answer;
    kernel.language = TENON_LANGUAGE_C;
    status = tenon_library_impl(library, PLUGIN_NAME, TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD,
                                &kernel, NULL);
  }
  if (status != TENON_OK) {
    tenon_library_release(library);
    return status;
  }
  *out_state = library;
  return TENON_OK;
}

#if !defined(PLUGIN_STAYS)
static void unload(void* state) {
  ++plugin_unloads;
  tenon_library_release((tenon_library*)state);
}
#endif

#if defined(PLUGIN_REQUIRES)
static const char* const requirements[] = {PLUGIN_REQUIRES};
#endif

static const tenon_plugin_descriptor descriptor = {PLUGIN_SIZE, PLUGIN_ABI,   PLUGIN_NAME,
                                                   "1.2",       "test",       PLUGIN_SANITIZER,
#if defined(PLUGIN_REQUIRES)
                                                   1,           requirements,
#else
                                                   0,           NULL,
#endif
                                                   &load,
#if defined(PLUGIN_STAYS)
                                                   NULL,
#else
                                                   &unload,
#endif
                                                   {0, 0, 0, 0}};

TENON_EXPORT const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min,
                                                               uint32_t host_abi_max) {
  (void)host_abi_min;
  (void)host_abi_max;
#if defined(PLUGIN_DECLINES)
  return NULL;
#endif
  return &descriptor;
}
