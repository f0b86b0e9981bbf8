// SPDX-License-Identifier: Apache-2.0
// Parses the arguments of a case: numbers, keys, libraries, dims, devices and values.
#include "badinput.h"

#include <errno.h>
#include <stdlib.h>

int bad_deleted = 0;

void bad_delete(void* ctx) {
  (void)ctx;
  ++bad_deleted;
}

void require_deleted(int before, const char* what) {
  if (bad_deleted != before + 1) {
    fail_msg("%s: the deleter must run once, got %d times", what, bad_deleted - before);
  }
}

int64_t number_of(const char* text) {
  char* end = NULL;
  errno = 0;
  const long long number = strtoll(text, &end, 0);
  if (errno != 0 || end == text || (*end != '\0' && *end != ' ' && *end != ',')) {
    fail_msg("the case itself is wrong: \"%s\" is no number", text);
  }
  return number;
}

int64_t field_of(const char* fields, const char* name, int64_t otherwise) {
  const size_t size = strlen(name);
  for (const char* at = fields; (at = strstr(at, name)) != NULL; at += size) {
    if ((at == fields || at[-1] == ' ') && at[size] == '=') return number_of(at + size + 1);
  }
  return otherwise;
}

tenon_key key_of(const char* text) {
  tenon_key key = TENON_KEY_NONE;
  if (strcmp(text, "none") == 0) return key;
  if (text[0] >= '0' && text[0] <= '9') return (tenon_key)number_of(text);
  assert_ok(tenon_key_parse(text, &key));
  return key;
}

tenon_library* library_of(const bad_world* world, const char* name) {
  const struct {
    const char* name;
    tenon_library* library;
  } all[] = {{"NULL", NULL},
             {"FRAGMENT", world->fragment},
             {"IMPL", world->impl},
             {"IMPL_CUDA", world->impl_cuda},
             {"WILDCARD", world->wildcard},
             {"closed", world->closed},
             {"closed_wildcard", world->closed_wildcard}};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    if (strcmp(all[i].name, name) == 0) return all[i].library;
  }
  fail_msg("the case itself is wrong: no library is called \"%s\"", name);
  return NULL;
}

void read_dims(const char* text, bad_dims* out_dims) {
  memset(out_dims, 0, sizeof *out_dims);
  out_dims->address = out_dims->of;
  if (strcmp(text, "none") == 0) {
    out_dims->address = NULL;
  } else if (strncmp(text, "@ones ", 6) == 0) {
    out_dims->count = number_of(text + 6);
    for (int64_t i = 0; i < out_dims->count; ++i) out_dims->of[i] = 1;
  } else if (strncmp(text, "@null ", 6) == 0) {
    out_dims->count = number_of(text + 6);
    out_dims->address = NULL;
  } else if (strncmp(text, "@ndim ", 6) == 0) {
    out_dims->count = number_of(text + 6);
  } else {
    for (const char* at = text; at != NULL; at = strchr(at, ',')) {
      if (*at == ',') ++at;
      out_dims->of[out_dims->count++] = number_of(at);
    }
  }
}

const tenon_device* device_of(const char* text, tenon_device* memory) {
  if (strcmp(text, "none") == 0) return NULL;
  int type = 0, index = 0;
  if (sscanf(text, "%d:%d", &type, &index) != 2) {
    fail_msg("the case itself is wrong: \"%s\" is no device", text);
  }
  memory->type = type;
  memory->index = index;
  return memory;
}

tenon_key read_slot(const char* text, bad_slot* out_slot) {
  char name[40];
  memset(out_slot, 0, sizeof *out_slot);
  snprintf(name, sizeof name, "%.*s", (int)strcspn(text, " "), text);
  out_slot->info.struct_size = (uint32_t)field_of(text, "size", sizeof out_slot->info);
  if (field_of(text, "tail", 0) != 0) {
    out_slot->info.struct_size = sizeof *out_slot;
    out_slot->bytes[sizeof *out_slot - 1] = 1;
  }
  return key_of(name);
}

void read_object_type(const char* fields, bad_object_type* out_type) {
  memset(out_type, 0, sizeof *out_type);
  tenon_object_type* type = &out_type->type;
  type->struct_size = (uint32_t)field_of(fields, "struct_size", sizeof *type);
  type->language = TENON_LANGUAGE_C;
  type->name = strcmp(fields, "name=NULL") == 0 ? NULL : "bad.Other";
  if (field_of(fields, "tail", 0) != 0) {
    type->struct_size = sizeof *out_type;
    out_type->bytes[sizeof *out_type - 1] = 1;
  }
}

// "T" is the tensor, "T2" another one, "T0" NULL, "TM" on Meta, "TU" undefined.
static tenon_value tensor_of(const bad_world* world, const char* token) {
  switch (token[1]) {
    case '0':
      return tenon_value_of_tensor(NULL);
    case '2':
      return tenon_value_of_tensor(world->other);
    case 'M':
      return tenon_value_of_tensor(world->meta);
    case 'U':
      return tenon_value_of_tensor(tenon_tensor_undefined());
    default:
      return tenon_value_of_tensor(world->tensor);
  }
}

// "I:1,2", "F:1,2" and "L:T,0" (a tensor and an absent one).
static tenon_value list_of(const bad_world* world, const char* token, bad_values* values) {
  tenon_value list;
  memset(&list, 0, sizeof list);
  const uint32_t place = values->count;
  for (const char* at = strchr(token, ':'); at != NULL; at = strchr(at + 1, ',')) {
    values->tensors[place][list.count] = at[1] == 'T' ? world->tensor : NULL;
    values->ints[place][list.count] = at[1] == 'T' ? 0 : number_of(at + 1);
    values->floats[place][list.count] = (double)values->ints[place][list.count];
    ++list.count;
  }
  list.tag = token[0] == 'I'   ? TENON_TAG_INT_LIST
             : token[0] == 'F' ? TENON_TAG_FLOAT_LIST
                               : TENON_TAG_TENSOR_LIST;
  list.as.list.data = token[0] == 'I'   ? (const void*)values->ints[place]
                      : token[0] == 'F' ? (const void*)values->floats[place]
                                        : (const void*)values->tensors[place];
  return list;
}

static tenon_value value_of(const bad_world* world, const char* token, bad_values* values) {
  tenon_value value;
  memset(&value, 0, sizeof value);
  switch (token[0]) {
    case 'n':
      return value;
    case 'T':
      return tensor_of(world, token);
    case 'i':
      return tenon_value_of_int(number_of(token + 1));
    case 'f':
      return tenon_value_of_float(strtod(token + 1, NULL));
    case 'b':
      value = tenon_value_of_int(number_of(token + 1));
      value.tag = TENON_TAG_BOOL;
      return value;
    case 's':
      return value_text(token + 1);
    case 'O':
      value.tag = TENON_TAG_OBJECT;
      value.as.object = token[1] == '0' ? NULL : world->object;
      return value;
    case 'G':
      value.tag = TENON_TAG_GENERATOR;
      value.as.generator = token[1] == '0' ? NULL : world->generator;
      return value;
    case 't':
      value.tag = (uint16_t)number_of(token + 1);
      return value;
    case 'I':
    case 'F':
    case 'L':
      return list_of(world, token, values);
    default:
      fail_msg("the case itself is wrong: \"%s\" is no value", token);
      return value;
  }
}

void read_values(const bad_world* world, const char* text, bad_values* out_values) {
  static char tokens[200];  // strings point into it until the next call
  out_values->count = 0;
  snprintf(tokens, sizeof tokens, "%s", text);
  for (char* token = strtok(tokens, " "); token != NULL; token = strtok(NULL, " ")) {
    out_values->of[out_values->count] = value_of(world, token, out_values);
    ++out_values->count;
  }
}

tenon_status bad_return_first(void* ctx, const tenon_op* op, tenon_keyset keys,
                              tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  return stack->nrets == 0 ? TENON_OK : tenon_value_copy(&stack->args[0], &stack->rets[0]);
}

tenon_kernel bad_kernel(tenon_kernel_fn function) {
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = function;
  kernel.language = TENON_LANGUAGE_C;
  kernel.name = "kernel";
  kernel.file = "first.c";
  kernel.line = 2;
  return kernel;
}

bad_op open_called(const char* schema, tenon_kernel_fn function, void* ctx) {
  bad_op called = {NULL, NULL};
  tenon_kernel kernel = bad_kernel(function);
  kernel.ctx = ctx;
  assert_ok(tenon_library_new(TENON_LIBRARY_FRAGMENT, "bad", TENON_KEY_NONE, "called.c", 1,
                              &called.library));
  assert_ok(tenon_library_define(called.library, schema, NULL, &called.op));
  assert_ok(tenon_library_impl(called.library, "called", TENON_KEY_CPU, &kernel, NULL));
  return called;
}
