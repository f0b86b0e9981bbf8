// SPDX-License-Identifier: Apache-2.0
// The device of the kept plugin: memory of the host, streams and events that only count.
#include <stdlib.h>
#include <string.h>

#include "first.h"

static void* current = NULL;  // stream

static tenon_status count(void* ctx, int32_t* out_count) {
  (void)ctx;
  *out_count = 1;
  return TENON_OK;
}

static tenon_status current_device(void* ctx, int32_t* out_index) {
  (void)ctx;
  *out_index = 0;
  return TENON_OK;
}

static tenon_status allocate(void* ctx, int32_t index, int64_t nbytes, void** out_data) {
  (void)ctx, (void)index;
  *out_data = malloc(nbytes > 0 ? (size_t)nbytes : 1);
  return *out_data != NULL ? TENON_OK
                           : tenon_error_raise(TENON_ERROR_OUT_OF_MEMORY, "first: no memory");
}

static void release(void* ctx, int32_t index, void* data) {
  (void)ctx, (void)index;
  free(data);
}

static tenon_status copy(void* ctx, void* dst, const tenon_device* dst_device, const void* src,
                         const tenon_device* src_device, int64_t nbytes, void* stream,
                         int32_t blocking) {
  (void)ctx, (void)dst_device, (void)src_device, (void)stream, (void)blocking;
  memcpy(dst, src, (size_t)nbytes);
  return TENON_OK;
}

static tenon_status current_stream(void* ctx, int32_t index, void** out_stream) {
  (void)ctx, (void)index;
  *out_stream = current;
  return TENON_OK;
}

static tenon_status set_current_stream(void* ctx, int32_t index, void* stream) {
  (void)ctx, (void)index;
  current = stream;
  return TENON_OK;
}

static tenon_status stream_new(void* ctx, int32_t index, void** out_stream) {
  (void)ctx, (void)index;
  *out_stream = malloc(1);
  return *out_stream != NULL ? TENON_OK
                             : tenon_error_raise(TENON_ERROR_OUT_OF_MEMORY, "first: no stream");
}

static void stream_release(void* ctx, int32_t index, void* stream) {
  (void)ctx, (void)index;
  if (current == stream) current = NULL;
  free(stream);
}

static tenon_status stream_synchronize(void* ctx, int32_t index, void* stream) {
  (void)ctx, (void)index, (void)stream;
  return TENON_OK;
}

tenon_status first_register_device(void) {
  static int registered = 0;  // for the life of the process, as plugins stay mapped
  tenon_device_provider provider;
  if (registered) return TENON_OK;
  memset(&provider, 0, sizeof provider);
  provider.struct_size = sizeof provider;
  const tenon_status status = tenon_backend_register("first", &provider.device_type);
  if (status != TENON_OK) return status;
  provider.device_count = &count;
  provider.current_device = &current_device;
  provider.allocate = &allocate;
  provider.release = &release;
  provider.copy = &copy;
  provider.current_stream = &current_stream;
  provider.set_current_stream = &set_current_stream;
  provider.stream_new = &stream_new;
  provider.stream_release = &stream_release;
  provider.stream_synchronize = &stream_synchronize;
  const tenon_status done = tenon_device_provider_register(&provider);
  registered = done == TENON_OK;
  return done;
}
