// SPDX-License-Identifier: Apache-2.0
// Runs the catalogue of bad input, cases.txt: each case must return its code, name the mistake, and
// leave all visible state unchanged.
#include "badinput.h"

#include <stdlib.h>

static bad_world world;
static bad_case* cases = NULL;
static size_t case_count = 0;

// ---- The state that no case may change ----------------------------------------------------------

static char* append(char* text, const char* more) {
  const size_t size = strlen(text), added = strlen(more);
  char* longer = realloc(text, size + added + 1);
  if (longer == NULL) fail_msg("memory for the dump could not be had");
  memcpy(longer + size, more, added + 1);
  return longer;
}

static char* append_ops(char* text, tenon_status (*list)(tenon_buffer**)) {
  tenon_buffer* ops = NULL;
  assert_ok(list(&ops));
  const tenon_op* const* all = tenon_buffer_data(ops);
  const size_t count = (size_t)tenon_buffer_size(ops) / sizeof *all;
  for (size_t i = 0; i < count; ++i) {
    tenon_buffer *dump = NULL, *table = NULL;
    assert_ok(tenon_introspect_dump(all[i], &dump));
    assert_ok(tenon_introspect_dump_table(all[i], &table));
    text = append(append(text, tenon_buffer_data(dump)), tenon_buffer_data(table));
    tenon_buffer_release(dump);
    tenon_buffer_release(table);
  }
  tenon_buffer_release(ops);
  return text;
}

// Writes all registrations, counts of live handles, and settings of the thread and the process.
static char* dump_state(void) {
  char line[200];
  char* text = append(calloc(1, 1), "");
  text = append_ops(append_ops(text, &tenon_introspect_list_ops), &tenon_introspect_list_dangling);
  const live_counts live = count_live();
  for (uint32_t kind = 0; kind < tenon_introspect_handle_count(); ++kind) {
    snprintf(line, sizeof line, "%s %lld\n", tenon_introspect_handle_name(kind),
             (long long)live.of[kind]);
    text = append(text, line);
  }
  snprintf(line, sizeof line, "included %llx excluded %llx dtype %d uses %lld %lld %lld\n",
           (unsigned long long)tenon_keyset_included(), (unsigned long long)tenon_keyset_excluded(),
           tenon_dtype_default(), (long long)tenon_tensor_use_count(world.tensor),
           (long long)tenon_tensor_use_count(world.other),
           (long long)tenon_tensor_use_count(world.meta));
  return append(text, line);
}

// ---- Running one case ---------------------------------------------------------------------------

static bad_call find_call(const bad_case* one) {
  const bad_named_call* const tables[] = {
      bad_schema_calls,   bad_library_calls,  bad_key_calls,       bad_op_calls,
      bad_binding_calls,  bad_tensor_calls,   bad_dlpack_calls,    bad_value_calls,
      bad_device_calls,   bad_typed_calls,    bad_generator_calls, bad_introspect_calls,
      bad_override_calls, bad_parallel_calls, bad_thread_calls,    bad_autograd_calls,
      bad_function_calls, bad_hook_calls,     bad_autocast_calls,  bad_transform_calls,
      bad_graph_calls,    bad_symbol_calls,   bad_fake_calls};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) {
    for (const bad_named_call* each = tables[i]; each->name != NULL; ++each) {
      if (strcmp(each->name, one->call) == 0) return each->call;
    }
  }
  fail_msg("cases.txt:%d: no call is named \"%s\"", one->line, one->call);
  return NULL;
}

// The message must contain each part of "a & b".
static void check_names(const bad_case* one, const char* message) {
  char names[200];
  snprintf(names, sizeof names, "%s", one->names);
  for (char* part = names; part != NULL;) {
    char* const separator = strstr(part, " & ");
    if (separator != NULL) *separator = '\0';
    if (strstr(message, part) == NULL) {
      fail_msg("cases.txt:%d: %s, %s: the message must name \"%s\", got \"%s\"", one->line,
               one->call, one->what, part, message);
    }
    part = separator != NULL ? separator + 3 : NULL;
  }
}

static void check_error(const bad_case* one, tenon_status status) {
  tenon_error* error = tenon_error_take();
  const char* message = error != NULL ? tenon_error_message(error) : "(no error)";
  if (status != one->code) {
    fail_msg("cases.txt:%d: %s, %s: the code must be %s, got %s: %s", one->line, one->call,
             one->what, tenon_status_name(one->code), tenon_status_name(status), message);
  }
  if (error == NULL || tenon_error_code(error) != status) {
    fail_msg("cases.txt:%d: %s, %s: the slot must hold an error of this code, got %s", one->line,
             one->call, one->what, error != NULL ? tenon_error_kind(error) : "none");
  }
  check_names(one, message);
  tenon_error_release(error);
}

static void run_case(void** state) {
  const bad_case* one = *state;
  const bad_call call = find_call(one);
  char* before = dump_state();
  check_error(one, call(&world, one));
  check_error(one, call(&world, one));  // fails again, because the first call changed nothing
  char* after = dump_state();
  if (strcmp(before, after) != 0) {
    fail_msg("cases.txt:%d: %s, %s: must change nothing, got\n%s\nbefore, and after\n%s", one->line,
             one->call, one->what, before, after);
  }
  free(before);
  free(after);
  assert_ok(tenon_introspect_check(NULL));
}

static void the_catalogue_is_large_and_each_case_is_there_once(void** state) {
  (void)state;
  assert_true(case_count >= 250);
  for (size_t i = 0; i < case_count; ++i) {
    for (size_t k = i + 1; k < case_count; ++k) {
      if (strcmp(cases[i].call, cases[k].call) == 0 && strcmp(cases[i].what, cases[k].what) == 0) {
        fail_msg("cases.txt:%d and %d: one name for two cases: %s, %s", cases[i].line,
                 cases[k].line, cases[i].call, cases[i].what);
      }
    }
  }
}

// ---- Reading cases.txt --------------------------------------------------------------------------

static tenon_status code_of(const char* name, int line) {
  char full[64];
  snprintf(full, sizeof full, "TENON_ERROR_%s", name);
  for (tenon_status code = 1; code < 64; ++code) {
    if (strcmp(tenon_status_name(code), full) == 0) return code;
  }
  fprintf(stderr, "cases.txt:%d: \"%s\" is no code\n", line, name);
  exit(2);
}

// Splits at " | "; a line may end in " |" for an empty last field.
static void split(char* text, bad_case* one) {
  char* fields[4 + BAD_MAX_ARGUMENTS];
  size_t count = 0;
  const size_t size = strlen(text);
  if (size >= 2 && strcmp(text + size - 2, " |") == 0) strcat(text, " ");
  while (text != NULL) {
    // Bars share their spaces around an empty field: "a | | b".
    const int is_empty = strncmp(text, "| ", 2) == 0;
    char* const bar = is_empty ? text : strstr(text, " | ");
    if (bar != NULL) *bar = '\0';
    if (count == sizeof fields / sizeof *fields) {
      fprintf(stderr, "cases.txt:%d: too many fields\n", one->line);
      exit(2);
    }
    fields[count++] = text;
    text = bar != NULL ? bar + (is_empty ? 2 : 3) : NULL;
  }
  if (count < 5) {
    fprintf(stderr, "cases.txt:%d: too few fields\n", one->line);
    exit(2);
  }
  one->what = fields[0];
  one->call = fields[1];
  one->code = code_of(fields[2], one->line);
  one->names = fields[3];
  for (size_t i = 0; i < BAD_MAX_ARGUMENTS; ++i) {
    static char empty[1] = "";
    one->args[i] = 4 + i < count ? fields[4 + i] : empty;
  }
}

static void read_cases(const char* path) {
  FILE* file = fopen(path, "r");
  if (file == NULL) {
    perror(path);
    exit(2);
  }
  char line[1000];
  for (int number = 1; fgets(line, sizeof line - 1, file) != NULL; ++number) {
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == '#' || line[0] == '\0') continue;
    cases = realloc(cases, (case_count + 1) * sizeof *cases);
    cases[case_count].line = number;
    split(strcpy(malloc(strlen(line) + 2), line), &cases[case_count]);
    ++case_count;
  }
  fclose(file);
}

// ---- The world ----------------------------------------------------------------------------------

static tenon_library* open_library(uint32_t kind, const char* ns, tenon_key key) {
  tenon_library* library = NULL;
  assert_ok(tenon_library_new(kind, ns, key, "first.c", 1, &library));
  return library;
}

static void unused_typed(void) {}

static int make_world(void** state) {
  (void)state;
  static const tenon_object_type type = {
      sizeof type, TENON_LANGUAGE_C, "bad.Object", NULL, NULL, NULL, NULL, NULL, NULL, {0}};
  const int64_t sizes[2] = {2, 3};
  const tenon_device meta = {TENON_DEVICE_META, 0};
  world.def = open_library(TENON_LIBRARY_DEF, "bad", TENON_KEY_NONE);
  world.fragment = open_library(TENON_LIBRARY_FRAGMENT, "bad", TENON_KEY_NONE);
  world.impl = open_library(TENON_LIBRARY_IMPL, "bad", TENON_KEY_NONE);
  world.impl_cuda = open_library(TENON_LIBRARY_IMPL, "bad", TENON_KEY_CUDA);
  world.wildcard = open_library(TENON_LIBRARY_IMPL, "_", TENON_KEY_NONE);
  world.closed = open_library(TENON_LIBRARY_FRAGMENT, "bad", TENON_KEY_NONE);
  world.closed_wildcard = open_library(TENON_LIBRARY_IMPL, "_", TENON_KEY_NONE);
  tenon_library_close(world.closed);
  tenon_library_close(world.closed_wildcard);
  assert_ok(tenon_library_define(world.def, "taken(Tensor x) -> Tensor", NULL, &world.taken));
  assert_ok(tenon_library_define(world.def, "taken.over(int x) -> ()", NULL, NULL));
  tenon_kernel kernel = bad_kernel(&bad_return_first);
  assert_ok(tenon_library_impl(world.def, "taken", TENON_KEY_CPU, &kernel, NULL));
  assert_ok(tenon_library_fallback(world.wildcard, TENON_KEY_WRAPPER, &kernel, NULL, NULL));
  kernel.schema = "(Tensor _0) -> Tensor";
  assert_ok(tenon_library_impl(world.impl, "waiting", TENON_KEY_CPU, &kernel, NULL));
  kernel.schema = NULL;
  kernel.typed = &unused_typed;
  kernel.signature = 0x6c62fe19e196c2e9;  // T>T
  assert_ok(tenon_library_impl(world.impl, "typed_waiting", TENON_KEY_CPU, &kernel, NULL));
  assert_ok(tenon_tensor_new(TENON_DTYPE_F32, NULL, 2, sizes, NULL, &world.tensor));
  assert_ok(tenon_tensor_new(TENON_DTYPE_F32, NULL, 2, sizes, NULL, &world.other));
  assert_ok(tenon_tensor_new(TENON_DTYPE_F32, &meta, 2, sizes, NULL, &world.meta));
  assert_ok(tenon_object_new(&type, NULL, &world.object));
  assert_ok(tenon_generator_new(NULL, 1, &world.generator));
  assert_ok(tenon_plugin_load(PLUGIN_STAYS, &world.plugin));
  tenon_key marked = TENON_KEY_NONE;  // has a thread default
  assert_ok(
      tenon_functionality_register("BadMarked", "Override", TENON_KEY_FLAG_INCLUDED, &marked));
  return 0;
}

static int end_world(void** state) {
  (void)state;
  tenon_library* const libraries[] = {world.fragment, world.impl,   world.impl_cuda,
                                      world.wildcard, world.closed, world.closed_wildcard,
                                      world.def};
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; ++i) {
    tenon_library_release(libraries[i]);
  }
  tenon_tensor_release(world.tensor);
  tenon_tensor_release(world.other);
  tenon_tensor_release(world.meta);
  tenon_object_release(world.object);
  tenon_generator_release(world.generator);
  return 0;
}

int main(void) {
  read_cases(BAD_CASES);
  struct CMUnitTest* tests = calloc(case_count + 1, sizeof *tests);
  tests[0].name = "the_catalogue_is_large_and_each_case_is_there_once";
  tests[0].test_func = &the_catalogue_is_large_and_each_case_is_there_once;
  for (size_t i = 0; i < case_count; ++i) {
    const size_t size = strlen(cases[i].call) + strlen(cases[i].what) + 3;
    char* name = malloc(size);
    snprintf(name, size, "%s: %s", cases[i].call, cases[i].what);
    tests[i + 1].name = name;
    tests[i + 1].test_func = &run_case;
    tests[i + 1].initial_state = &cases[i];
  }
  return _cmocka_run_group_tests("bad input", tests, case_count + 1, &make_world, &end_world);
}
