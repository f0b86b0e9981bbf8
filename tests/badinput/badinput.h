// SPDX-License-Identifier: Apache-2.0
// A case of cases.txt, the objects that all cases use, and the functions that make one wrong call.
#ifndef TESTS_BADINPUT_BADINPUT_H
#define TESTS_BADINPUT_BADINPUT_H

#include "capi/support.h"

#define BAD_MAX_ARGUMENTS 6

// A line of cases.txt; strings point into its own memory.
typedef struct bad_case {
  int line;
  char* what;
  char* call;
  tenon_status code;
  char* names;
  char* args[BAD_MAX_ARGUMENTS];  // "" for missing arguments
} bad_case;

// Objects that exist before the first case; README.md lists them.
typedef struct bad_world {
  tenon_library *def, *fragment, *impl, *impl_cuda, *wildcard, *closed, *closed_wildcard;
  const tenon_op* taken;
  tenon_tensor *tensor, *other, *meta, *read_only;
  tenon_object* object;
  tenon_generator* generator;
  tenon_plugin* plugin;  // it cannot be unloaded
} bad_world;

// Makes the wrong call and returns its status; the error is in the thread's slot.
typedef tenon_status (*bad_call)(const bad_world* world, const bad_case* one);

typedef struct bad_named_call {
  const char* name;
  bad_call call;
} bad_named_call;

// Tables end with a NULL name.
extern const bad_named_call bad_schema_calls[];
extern const bad_named_call bad_library_calls[];
extern const bad_named_call bad_key_calls[];
extern const bad_named_call bad_op_calls[];
extern const bad_named_call bad_binding_calls[];
extern const bad_named_call bad_tensor_calls[];
extern const bad_named_call bad_dlpack_calls[];
extern const bad_named_call bad_value_calls[];
extern const bad_named_call bad_device_calls[];
extern const bad_named_call bad_generator_calls[];
extern const bad_named_call bad_introspect_calls[];
extern const bad_named_call bad_override_calls[];
extern const bad_named_call bad_typed_calls[];
extern const bad_named_call bad_parallel_calls[];
extern const bad_named_call bad_thread_calls[];
extern const bad_named_call bad_autocast_calls[];
extern const bad_named_call bad_autograd_calls[];
extern const bad_named_call bad_fake_calls[];
extern const bad_named_call bad_function_calls[];
extern const bad_named_call bad_hook_calls[];
extern const bad_named_call bad_symbol_calls[];
extern const bad_named_call bad_transform_calls[];
extern const bad_named_call bad_graph_calls[];

// ---- Reading arguments: each function fails the test if the case itself is malformed ------------

// Returns NULL for the text "NULL".
static inline const char* text_of(const char* text) {
  return strcmp(text, "NULL") == 0 ? NULL : text;
}

int64_t number_of(const char* text);

// Returns the number after `name=` in "name=value name=value", or `otherwise` if it is missing.
int64_t field_of(const char* fields, const char* name, int64_t otherwise);

// Parses a dispatch key by name or number; "none" is TENON_KEY_NONE.
tenon_key key_of(const char* text);

// Returns one of the world's libraries; NULL for "NULL".
tenon_library* library_of(const bad_world* world, const char* name);

// "2,3", "none", "@ones N", "@null N" (N dims without an address) or "@ndim N" (N dims with one).
typedef struct bad_dims {
  int64_t of[80];
  int64_t count;
  const int64_t* address;
} bad_dims;
void read_dims(const char* text, bad_dims* out_dims);

// Parses "type:index"; returns NULL for "none".
const tenon_device* device_of(const char* text, tenon_device* memory);

// Values, separated by spaces; `memory` owns the memory that they borrow.
typedef struct bad_values {
  tenon_value of[8];
  uint32_t count;
  int64_t ints[8][4];
  double floats[8][4];
  tenon_tensor* tensors[8][4];
} bad_values;
void read_values(const bad_world* world, const char* text, bad_values* out_values);

// A slot to fill for the key in "KEY field=value", with size and tail bytes from the fields.
typedef union bad_slot {
  tenon_slot_info info;
  unsigned char bytes[sizeof(tenon_slot_info) + 8];
} bad_slot;
tenon_key read_slot(const char* text, bad_slot* out_slot);

// A type "bad.Other" of objects without handlers, changed by "struct_size=N", "tail=1",
// "name=NULL".
typedef union bad_object_type {
  tenon_object_type type;
  unsigned char bytes[sizeof(tenon_object_type) + 8];
} bad_object_type;
void read_object_type(const char* fields, bad_object_type* out_type);

// Number of deleters that ran; a call that transfers ownership ends with require_deleted.
extern int bad_deleted;
void bad_delete(void* ctx);
void require_deleted(int before, const char* what);

// A kernel that returns its first argument.
tenon_status bad_return_first(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
tenon_kernel bad_kernel(tenon_kernel_fn function);

// `bad::called` with a CPU kernel, until the library is released.
typedef struct bad_op {
  tenon_library* library;
  const tenon_op* op;
} bad_op;
bad_op open_called(const char* schema, tenon_kernel_fn function, void* ctx);

#endif
