/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin whose load leaves a library open, and fails if TENON_TEST_FAIL is set. */
#define _POSIX_C_SOURCE 200809L /* setenv */

#include <stdlib.h>
#include <string.h>

#include <tenon/tenon.h>

static tenon_status give_seven(void* ctx, const tenon_op* op, tenon_keyset keys,
                               tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  stack->rets[0].tag = TENON_TAG_INT;
  stack->rets[0].as.i = 7;
  return TENON_OK;
}

static void mark_deleted(void* ctx) {
  (void)ctx;
  setenv("TENON_TEST_DELETED", "1", 1);
}

/*
 * The plugin releases its own handles. Those of failed loads stay here, so that they are reachable.
 */
static tenon_library* kept[8];
static int kept_count = 0;

static tenon_status load(tenon_plugin* self, void** out_state) {
  tenon_library *library = NULL, *closed = NULL;
  tenon_kernel kernel;
  tenon_status status;
  (void)self;
  status = tenon_library_new(TENON_LIBRARY_DEF, "leaves_things", TENON_KEY_NONE, __FILE__, __LINE__,
                             &library);
  if (status != TENON_OK) return status;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = &give_seven;
  kernel.deleter = &mark_deleted;
  kernel.language = TENON_LANGUAGE_C;
  status = tenon_library_define(library, "seven() -> int", NULL, NULL);
  if (status != TENON_OK) return status;
  status =
      tenon_library_impl(library, "seven", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &kernel, NULL);
  if (status != TENON_OK) return status;
  /* A library that is closed before the failure: nothing is left of it to clean up. */
  status =
      tenon_library_new(TENON_LIBRARY_FRAGMENT, "leaves_things", TENON_KEY_NONE, NULL, 0, &closed);
  if (status != TENON_OK) return status;
  tenon_library_release(closed);
  if (getenv("TENON_TEST_FAIL") != NULL) {
    if (kept_count < 8) kept[kept_count++] = library;
    return tenon_error_raise(TENON_ERROR_SYSTEM, "no such device");
  }
  *out_state = library;
  return TENON_OK;
}

static void unload(void* state) { tenon_library_release((tenon_library*)state); }

static const tenon_plugin_descriptor descriptor = {sizeof(tenon_plugin_descriptor),
                                                   TENON_ABI_VERSION,
                                                   "leaves_things",
                                                   "1",
                                                   "",
                                                   TENON_SANITIZER_CURRENT,
                                                   0,
                                                   NULL,
                                                   &load,
                                                   &unload,
                                                   {0, 0, 0, 0}};

TENON_EXPORT const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min,
                                                               uint32_t host_abi_max);
TENON_EXPORT const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min,
                                                               uint32_t host_abi_max) {
  (void)host_abi_min, (void)host_abi_max;
  return &descriptor;
}
