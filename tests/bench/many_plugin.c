/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that is copied a thousand times: it names itself and its operator after its file. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <tenon/tenon.h>

static char name[64];

static tenon_status noop(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys, (void)stack;
  return TENON_OK;
}

static tenon_status load(tenon_plugin* self, void** out_state) {
  tenon_library* library = NULL;
  tenon_kernel kernel;
  tenon_status status;
  char schema[96];
  (void)self;
  status = tenon_library_new(TENON_LIBRARY_FRAGMENT, "plugged", TENON_KEY_NONE, __FILE__, __LINE__,
                             &library);
  if (status != TENON_OK) return status;
  snprintf(schema, sizeof schema, "%s(Tensor a) -> ()", name);
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.language = TENON_LANGUAGE_C;
  kernel.boxed = noop;
  status = tenon_library_define(library, schema, NULL, NULL);
  if (status == TENON_OK) status = tenon_library_impl(library, name, TENON_KEY_CPU, &kernel, NULL);
  if (status != TENON_OK) {
    tenon_library_release(library);
    return status;
  }
  *out_state = library;
  return TENON_OK;
}

static void unload(void* state) { tenon_library_release((tenon_library*)state); }

static tenon_plugin_descriptor descriptor = {
    .struct_size = sizeof(tenon_plugin_descriptor),
    .abi_version = TENON_ABI_VERSION,
    .name = name,
    .version = "1",
    .build_id = "",
    .sanitizer = TENON_SANITIZER_CURRENT,
    .load = load,
    .unload = unload,
};

TENON_EXPORT const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min,
                                                               uint32_t host_abi_max) {
  Dl_info info;
  const char* file;
  if (TENON_ABI_VERSION < host_abi_min || TENON_ABI_VERSION > host_abi_max) return NULL;
  if (dladdr((void*)&descriptor, &info) == 0) return NULL;
  file = strrchr(info.dli_fname, '/');
  snprintf(name, sizeof name, "%.*s", (int)strcspn(file ? file + 1 : info.dli_fname, "."),
           file ? file + 1 : info.dli_fname);
  return &descriptor;
}
