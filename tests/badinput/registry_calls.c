// SPDX-License-Identifier: Apache-2.0
// Wrong calls of schema.h, library.h, key.h and plugin.h.
#include <stdlib.h>

#include "badinput.h"

// ---- Schemas ------------------------------------------------------------------------------------

static tenon_status schema_parse(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_schema* schema = NULL;
  tenon_status status;
  if (strncmp(one->args[0], "@nested ", 8) == 0) {
    const size_t depth = (size_t)number_of(one->args[0] + 8);
    char* text = malloc(2 * depth + 20);
    memcpy(text, "f(", 2);
    memset(text + 2, '(', depth);
    strcpy(text + 2 + depth, "int x) -> ()");
    status = tenon_schema_parse(text, -1, &schema);
    free(text);
  } else {
    status = tenon_schema_parse(text_of(one->args[0]), -1, &schema);
  }
  assert_null(schema);
  if (status == TENON_ERROR_PARSE) {  // the message states the position and quotes it
    const char* message = tenon_error_message(tenon_error_peek());
    assert_non_null(strstr(message, "column "));
    assert_non_null(strstr(message, "^"));
  }
  return status;
}

static tenon_schema* good_schema(const char* text) {
  tenon_schema* schema = NULL;
  assert_ok(tenon_schema_parse(text, -1, &schema));
  return schema;
}

static tenon_status schema_compatible(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_schema* newer = good_schema(one->args[0]);
  tenon_schema* older = good_schema(one->args[1]);
  const tenon_status status =
      tenon_schema_check_compatible(newer, older, (int32_t)number_of(one->args[2]));
  tenon_schema_release(newer);
  tenon_schema_release(older);
  return status;
}

typedef tenon_status (*get_info)(const tenon_schema*, int64_t, tenon_argument_info*);

// INDEX SIZE: size 0 means the right size, "zero" means 0.
static tenon_status info_by(get_info function, const bad_case* one) {
  tenon_schema* schema = good_schema("f(int x, int y) -> (int, int)");
  tenon_argument_info info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  if (strcmp(one->args[1], "0") != 0) {
    info.struct_size = strcmp(one->args[1], "zero") == 0 ? 0 : (uint32_t)number_of(one->args[1]);
  }
  const tenon_status status = function(schema, number_of(one->args[0]), &info);
  tenon_schema_release(schema);
  return status;
}

static tenon_status schema_argument(const bad_world* world, const bad_case* one) {
  (void)world;
  return info_by(&tenon_schema_get_argument, one);
}

static tenon_status schema_return(const bad_world* world, const bad_case* one) {
  (void)world;
  return info_by(&tenon_schema_get_return, one);
}

const bad_named_call bad_schema_calls[] = {{"schema_parse", &schema_parse},
                                           {"schema_compatible", &schema_compatible},
                                           {"schema_argument", &schema_argument},
                                           {"schema_return", &schema_return},
                                           {NULL, NULL}};

// ---- Libraries ----------------------------------------------------------------------------------

static uint32_t kind_of(const char* text) {
  if (strcmp(text, "DEF") == 0) return TENON_LIBRARY_DEF;
  if (strcmp(text, "IMPL") == 0) return TENON_LIBRARY_IMPL;
  if (strcmp(text, "FRAGMENT") == 0) return TENON_LIBRARY_FRAGMENT;
  return (uint32_t)number_of(text);
}

static tenon_status library_new(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_library* library = NULL;
  const tenon_status status = tenon_library_new(kind_of(one->args[0]), text_of(one->args[1]),
                                                key_of(one->args[2]), "second.c", 9, &library);
  assert_null(library);
  return status;
}

static tenon_status define(const bad_world* world, const bad_case* one) {
  const tenon_op* op = NULL;
  const tenon_status status =
      tenon_library_define(library_of(world, one->args[0]), text_of(one->args[1]), NULL, &op);
  assert_null(op);
  return status;
}

static tenon_status define_options(const bad_world* world, const bad_case* one) {
  // The struct of a newer caller, with a field that this library does not have.
  union {
    tenon_define_options options;
    unsigned char bytes[sizeof(tenon_define_options) + 8];
  } given;
  const char* const field = one->args[0];
  const char* const tags[1] = {text_of(one->args[1])};
  memset(&given, 0, sizeof given);
  given.options.struct_size = sizeof given.options;
  if (strcmp(field, "struct_size") == 0) {
    given.options.struct_size = (uint32_t)number_of(one->args[1]);
  } else if (strcmp(field, "tail") == 0) {
    given.options.struct_size = sizeof given;
    given.bytes[sizeof given - 1] = 1;
  } else if (strcmp(field, "tag") == 0) {
    given.options.tags = tags;
    given.options.tag_count = 1;
  } else {
    given.options.alias_analysis = one->args[1];
  }
  return tenon_library_define(world->fragment, "opted() -> ()", &given.options, NULL);
}

// A kernel that counts its deletion, with the fields of the case changed.
typedef union given_kernel {
  tenon_kernel kernel;
  unsigned char bytes[sizeof(tenon_kernel) + 8];
} given_kernel;

static void unused_typed(void) {}

static const tenon_kernel* kernel_of(const char* text, given_kernel* given) {
  if (strcmp(text, "NULL") == 0) return NULL;
  memset(given, 0, sizeof *given);
  tenon_kernel* kernel = &given->kernel;
  *kernel = bad_kernel(strcmp(text, "boxed=NULL") == 0 ? NULL : &bad_return_first);
  kernel->deleter = &bad_delete;
  if (strcmp(text, "ok") == 0 || kernel->boxed == NULL) return kernel;
  if (strncmp(text, "schema=", 7) == 0) {
    kernel->schema = text + 7;
    return kernel;
  }
  kernel->flags = (uint32_t)field_of(text, "flags", 0);
  kernel->policy = (uint32_t)field_of(text, "policy", 0);
  kernel->language = (uint32_t)field_of(text, "language", TENON_LANGUAGE_C);
  kernel->signature = (uint64_t)field_of(text, "signature", 0);
  kernel->typed = field_of(text, "typed", 0) != 0 ? &unused_typed : NULL;
  kernel->struct_size = (uint32_t)field_of(text, "struct_size", sizeof *kernel);
  if (field_of(text, "tail", 0) != 0) {
    kernel->struct_size = sizeof *given;
    given->bytes[sizeof *given - 1] = 1;
  }
  return kernel;
}

// If the caller's struct ends before the deleter, there is no deleter to run.
static void require_taken(const tenon_kernel* kernel, int before, const char* what) {
  const size_t end = offsetof(tenon_kernel, deleter) + sizeof kernel->deleter;
  if (kernel != NULL && kernel->struct_size >= end) require_deleted(before, what);
}

static tenon_status impl(const bad_world* world, const bad_case* one) {
  given_kernel memory;
  const tenon_kernel* kernel = kernel_of(one->args[3], &memory);
  tenon_registration* registration = NULL;
  const int before = bad_deleted;
  const tenon_status status =
      tenon_library_impl(library_of(world, one->args[0]), text_of(one->args[1]),
                         key_of(one->args[2]), kernel, &registration);
  assert_null(registration);
  require_taken(kernel, before, one->what);
  return status;
}

static tenon_status fallback(const bad_world* world, const bad_case* one) {
  given_kernel memory;
  const tenon_kernel* kernel = kernel_of(one->args[2], &memory);
  tenon_registration* registration = NULL;
  const int before = bad_deleted;
  const tenon_status status = tenon_library_fallback(
      library_of(world, one->args[0]), key_of(one->args[1]), kernel, NULL, &registration);
  assert_null(registration);
  require_taken(kernel, before, one->what);
  return status;
}

static tenon_status drain(const bad_world* world, const bad_case* one) {
  return tenon_library_drain(library_of(world, one->args[0]), 0);
}

static tenon_status listener(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_registration* registration = NULL;
  const int before = bad_deleted;
  const tenon_status status = tenon_registry_add_listener(NULL, NULL, &bad_delete, &registration);
  assert_null(registration);
  require_deleted(before, one->what);
  return status;
}

static tenon_status op_find(const bad_world* world, const bad_case* one) {
  (void)world;
  const tenon_op* op = NULL;
  const tenon_status status = tenon_op_find(text_of(one->args[0]), &op);
  assert_null(op);
  return status;
}

static tenon_status plugin_load(const bad_world* world, const bad_case* one) {
  (void)world;
  const struct {
    const char *name, *path;
  } files[] = {{"@cases", BAD_CASES},
               {"@without_query", PLUGIN_WITHOUT_QUERY},
               {"@other_abi", PLUGIN_OTHER_ABI},
               {"@failing", PLUGIN_FAILING}};
  const char* path = text_of(one->args[0]);
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    if (strcmp(one->args[0], files[i].name) == 0) path = files[i].path;
  }
  tenon_plugin* plugin = NULL;
  const tenon_status status = tenon_plugin_load(path, &plugin);
  assert_null(plugin);
  return status;
}

static tenon_status plugin_unload(const bad_world* world, const bad_case* one) {
  (void)one;
  const tenon_status status = tenon_plugin_unload(world->plugin, 0);
  assert_int_equal(tenon_plugin_is_loaded(world->plugin), 1);
  return status;
}

static tenon_status call_older(void* ctx, const tenon_op* op, tenon_keyset keys,
                               tenon_stack* stack) {
  (void)op;
  return tenon_registration_call_older(*(tenon_registration* const*)ctx, keys, stack);
}

static void ignore_event(void* ctx, uint32_t event, const tenon_op* op) {
  (void)ctx, (void)event, (void)op;
}

// "none" (no older kernel exists), "removed" or "listener" (a registration without a kernel).
static tenon_status older(const bad_world* world, const bad_case* one) {
  tenon_registration *own = NULL, *other = NULL, *asked = NULL;
  bad_op called = open_called("called(Tensor x) -> Tensor", &bad_return_first, NULL);
  tenon_kernel kernel = bad_kernel(&call_older);
  tenon_value args[1] = {tenon_value_of_tensor(world->tensor)}, rets[1] = {tenon_value_of_none()};
  tenon_stack stack = {.args = args, .nargs = 1, .rets = rets, .nrets = 1};
  kernel.ctx = &asked;
  assert_ok(tenon_library_impl(called.library, "called", TENON_KEY_META, &kernel, &own));
  args[0].as.tensor = world->meta;
  asked = own;
  if (strcmp(one->args[0], "listener") == 0) {
    assert_ok(tenon_registry_add_listener(&ignore_event, NULL, NULL, &other));
    asked = other;
  } else if (strcmp(one->args[0], "removed") == 0) {
    const tenon_kernel plain = bad_kernel(&bad_return_first);
    assert_ok(tenon_library_impl(called.library, "called", TENON_KEY_CPU, &plain, &other));
    tenon_registration_remove(other);
    asked = other;
  }
  const tenon_status status = tenon_op_call(called.op, &stack);
  assert_int_equal(rets[0].tag, TENON_TAG_NONE);
  if (other != NULL) tenon_registration_remove(other);
  tenon_registration_release(other);
  tenon_registration_release(own);
  tenon_library_release(called.library);
  return status;
}

const bad_named_call bad_library_calls[] = {{"older", &older},
                                            {"library_new", &library_new},
                                            {"define", &define},
                                            {"define_options", &define_options},
                                            {"impl", &impl},
                                            {"fallback", &fallback},
                                            {"drain", &drain},
                                            {"listener", &listener},
                                            {"op_find", &op_find},
                                            {"plugin_load", &plugin_load},
                                            {"plugin_unload", &plugin_unload},
                                            {NULL, NULL}};

// ---- Keys ---------------------------------------------------------------------------------------

static tenon_status key_parse(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_key key = 7;
  const tenon_status status = tenon_key_parse(text_of(one->args[0]), &key);
  assert_int_equal(key, TENON_KEY_NONE);
  return status;
}

static tenon_status key_for_device(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_key key = 7;
  const tenon_status status = tenon_key_for_device(text_of(one->args[0]), &key);
  assert_int_equal(key, TENON_KEY_NONE);
  return status;
}

static tenon_status keyset_from_key(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_keyset keys = 7;
  const tenon_status status = tenon_keyset_from_key(key_of(one->args[0]), &keys);
  assert_int_equal(keys, 0);
  return status;
}

static tenon_status backend_register(const bad_world* world, const bad_case* one) {
  (void)world;
  int32_t type = 7;
  const tenon_status status = tenon_backend_register(text_of(one->args[0]), &type);
  assert_int_equal(type, -1);
  return status;
}

static tenon_status functionality_register(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_key key = 7;
  const tenon_status status = tenon_functionality_register(
      text_of(one->args[0]), text_of(one->args[1]), (uint32_t)number_of(one->args[2]), &key);
  assert_int_equal(key, TENON_KEY_NONE);
  return status;
}

const bad_named_call bad_key_calls[] = {{"key_parse", &key_parse},
                                        {"key_for_device", &key_for_device},
                                        {"keyset_from_key", &keyset_from_key},
                                        {"backend_register", &backend_register},
                                        {"functionality_register", &functionality_register},
                                        {NULL, NULL}};
