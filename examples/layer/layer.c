// SPDX-License-Identifier: Apache-2.0
// A user-defined layer that counts the calls that a thread makes inside a region.
#include <inttypes.h>
#include <stdio.h>

#include <tenon/ops/aten.h>
#include <tenon/tenon.h>

// [quote.begin key]
static tenon_key counter_key;
static uint32_t counter_slot;

// Declares the layer's key, above Autograd, and a thread slot for its count.
static tenon_status declare_counter(void) {
  const tenon_thread_slot slot = {.struct_size = sizeof slot};
  tenon_status status =
      tenon_functionality_register("Counter", "Autograd", TENON_KEY_FLAG_ABOVE, &counter_key);
  if (!status) status = tenon_thread_slot_register("Counter", &slot, &counter_slot);
  return status;
}
// [quote.end]

// [quote.begin fallback]
// Serves every operator at the key: counts the call and redispatches below the key. The guard
// excludes the key, so that calls made by kernels are not counted.
static tenon_status count(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  void** word = tenon_thread_slot_peek(counter_slot);
  tenon_keyset own = 0;
  tenon_key_guard guard;
  (void)ctx;
  if (word == NULL) return TENON_ERROR_OUT_OF_MEMORY;
  *word = (void*)((uintptr_t)*word + 1);
  tenon_status status = tenon_keyset_from_key(counter_key, &own);
  if (!status) status = tenon_key_guard_exclude(own, &guard);
  if (status) return status;
  status = tenon_op_redispatch(op, keys & tenon_keyset_below(counter_key), stack);
  const tenon_status left = tenon_key_guard_leave(&guard);
  return status ? status : left;
}
// [quote.end]

// [quote.begin register]
// Registers the fallback, and a fallthrough for detach(), which only makes an alias: its calls skip
// the layer at no cost.
static tenon_status register_counter(tenon_library** fallbacks, tenon_library** overrides) {
  const tenon_kernel every = {.struct_size = sizeof every, .boxed = count, .name = "count"};
  const tenon_kernel skip = {.struct_size = sizeof skip, .flags = TENON_KERNEL_FALLTHROUGH};
  tenon_status status =
      tenon_library_new(TENON_LIBRARY_IMPL, "_", TENON_KEY_NONE, __FILE__, __LINE__, fallbacks);
  if (!status) status = tenon_library_fallback(*fallbacks, counter_key, &every, NULL, NULL);
  if (!status) {
    status =
        tenon_library_new(TENON_LIBRARY_IMPL, "aten", counter_key, __FILE__, __LINE__, overrides);
  }
  if (!status) status = tenon_library_impl(*overrides, "detach", counter_key, &skip, NULL);
  return status;
}
// [quote.end]

// [quote.begin use]
// Calls relu, which is counted, and detach, which is not, inside of the layer's region.
static tenon_status use_counter(tenon_tensor* x) {
  tenon_keyset own = 0;
  tenon_key_guard guard;
  tenon_tensor *y = NULL, *z = NULL;
  tenon_status status = tenon_keyset_from_key(counter_key, &own);
  if (!status) status = tenon_key_guard_include(own, &guard);
  if (status) return status;
  status = aten_relu(x, &y);
  if (!status) status = aten_detach(y, &z);
  const tenon_status left = tenon_key_guard_leave(&guard);
  tenon_tensor_release(y);
  tenon_tensor_release(z);
  return status ? status : left;
}
// [quote.end]

int main(void) {
  const int64_t sizes[] = {2};
  float data[] = {-1, 1};
  tenon_tensor* x = NULL;
  tenon_library *fallbacks = NULL, *overrides = NULL;
  tenon_status status =
      tenon_tensor_wrap(data, TENON_DTYPE_F32, NULL, 1, sizes, NULL, NULL, NULL, &x);
  if (!status) status = declare_counter();
  if (!status) status = register_counter(&fallbacks, &overrides);
  if (!status) status = use_counter(x);
  if (status) {
    tenon_error* error = tenon_error_take();
    fprintf(stderr, "%s\n", tenon_error_format(error));
    tenon_error_release(error);
  } else {
    printf("%" PRIuPTR "\n", (uintptr_t)*tenon_thread_slot_peek(counter_slot));
  }
  tenon_tensor_release(x);
  tenon_library_release(overrides);
  tenon_library_release(fallbacks);
  return status ? 1 : 0;
}
