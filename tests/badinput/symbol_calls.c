// SPDX-License-Identifier: Apache-2.0
// Wrong calls of symbols: environments, variables, expressions, decisions, symbolic tensors.
#include "badinput.h"
#include "tenon/symbol.h"

// Objects of each case: two environments, a backed and an unbacked size in the first, and a size in
// the second.
typedef struct symbols {
  tenon_shape_env *env, *other_env;
  tenon_symbol *size, *unbacked, *other, *real;
} symbols;

static void open_symbols(symbols* made) {
  const tenon_value hint = tenon_value_of_int(4);
  assert_ok(tenon_shape_env_new(0, &made->env));
  assert_ok(tenon_shape_env_new(0, &made->other_env));
  assert_ok(tenon_symbol_new(made->env, TENON_TAG_SYMINT, "n", &hint, 2, 9, &made->size));
  assert_ok(tenon_symbol_new(made->env, TENON_TAG_SYMINT, NULL, NULL, 0, 9, &made->unbacked));
  assert_ok(tenon_symbol_new(made->other_env, TENON_TAG_SYMINT, NULL, &hint, 2, 9, &made->other));
  assert_ok(tenon_symbol_new(made->env, TENON_TAG_SYMFLOAT, "x", NULL, 0, 0, &made->real));
}

// Releases the objects; a wrong call must record no guard.
static tenon_status close_symbols(symbols* made, tenon_status status) {
  tenon_error* error = tenon_error_take();
  assert_int_equal(tenon_shape_env_guard_count(made->env), 0);
  tenon_symbol_release(made->size);
  tenon_symbol_release(made->unbacked);
  tenon_symbol_release(made->other);
  tenon_symbol_release(made->real);
  tenon_shape_env_release(made->env);
  tenon_shape_env_release(made->other_env);
  if (error != NULL) tenon_error_set(error);
  return status;
}

// "n" is the size, "u" the unbacked size, "other" the size of the other environment, "x" the float;
// others are numbers.
static tenon_symbol* symbol_named(const symbols* made, const char* name) {
  if (strcmp(name, "n") == 0) return made->size;
  if (strcmp(name, "u") == 0) return made->unbacked;
  if (strcmp(name, "other") == 0) return made->other;
  return strcmp(name, "x") == 0 ? made->real : NULL;
}

static int64_t word_named(const symbols* made, const char* name) {
  tenon_symbol* symbol = symbol_named(made, name);
  return symbol != NULL ? tenon_dim_of_symbol(symbol) : number_of(name);
}

static tenon_value value_named(const symbols* made, const char* name) {
  tenon_value value = tenon_value_of_none();
  value.as.symbol = symbol_named(made, name);
  if (value.as.symbol == NULL) {
    return strcmp(name, "none") == 0 ? value : tenon_value_of_int(number_of(name));
  }
  value.tag = tenon_symbol_tag(value.as.symbol);
  return value;
}

// FLAGS
static tenon_status shape_env_new(const bad_world* world, const bad_case* one) {
  (void)world;
  tenon_shape_env* env = NULL;
  const tenon_status status = tenon_shape_env_new((uint32_t)number_of(one->args[0]), &env);
  assert_null(env);
  return status;
}

// HINT
static tenon_status shape_env_new_size(const bad_world* world, const bad_case* one) {
  (void)world;
  symbols made;
  open_symbols(&made);
  tenon_value size;
  const tenon_status status = tenon_shape_env_new_size(made.env, number_of(one->args[0]), &size);
  assert_int_equal(size.tag, TENON_TAG_NONE);
  return close_symbols(&made, status);
}

// INDEX FIELDS: "struct_size=N"
static tenon_status shape_env_guard(const bad_world* world, const bad_case* one) {
  (void)world;
  symbols made;
  open_symbols(&made);
  tenon_shape_guard guard;
  memset(&guard, 0, sizeof guard);
  guard.struct_size = (uint32_t)field_of(one->args[1], "struct_size", sizeof guard);
  const tenon_status status = tenon_shape_env_guard(made.env, number_of(one->args[0]), &guard);
  assert_null(guard.owner);
  return close_symbols(&made, status);
}

// VARIABLE: the name that is replaced by 4; "NULL": no list
static tenon_status shape_env_check(const bad_world* world, const bad_case* one) {
  (void)world;
  symbols made;
  open_symbols(&made);
  const tenon_symbol* variable = symbol_named(&made, one->args[0]);
  const int64_t number = 4;
  int32_t holds = 7;
  const int given = text_of(one->args[0]) != NULL;
  const tenon_status status =
      tenon_shape_env_check(made.env, given ? &variable : NULL, &number, 1, &holds, NULL);
  assert_int_equal(holds, 0);
  return close_symbols(&made, status);
}

// TAG NAME HINT MIN MAX
static tenon_status symbol_new(const bad_world* world, const bad_case* one) {
  (void)world;
  symbols made;
  open_symbols(&made);
  const tenon_value hint = strcmp(one->args[2], "float") == 0
                               ? tenon_value_of_float(1.5)
                               : tenon_value_of_int(number_of(one->args[2]));
  tenon_symbol* symbol = NULL;
  const tenon_status status =
      tenon_symbol_new(made.env, (uint16_t)number_of(one->args[0]), text_of(one->args[1]), &hint,
                       number_of(one->args[3]), number_of(one->args[4]), &symbol);
  assert_null(symbol);
  return close_symbols(&made, status);
}

// SYMBOL
static tenon_status symbol_bounds(const bad_world* world, const bad_case* one) {
  (void)world;
  symbols made;
  open_symbols(&made);
  int64_t min, max;
  return close_symbols(&made, tenon_symbol_bounds(symbol_named(&made, one->args[0]), &min, &max));
}

// SYMBOL, and VARIABLE, which is replaced by 4
static tenon_status symbol_evaluate(const bad_world* world, const bad_case* one) {
  (void)world;
  symbols made;
  open_symbols(&made);
  const tenon_symbol* variable = symbol_named(&made, one->args[1]);
  const int64_t number = 4;
  int64_t result = 7;
  const tenon_status status =
      tenon_symbol_evaluate(symbol_named(&made, one->args[0]), &variable, &number, 1, &result);
  assert_int_equal(result, 0);
  return close_symbols(&made, status);
}

// FUNCTION A B COUNT
static tenon_status symbol_apply(const bad_world* world, const bad_case* one) {
  (void)world;
  symbols made;
  open_symbols(&made);
  const tenon_value args[2] = {value_named(&made, one->args[1]), value_named(&made, one->args[2])};
  tenon_value result;
  const tenon_status status =
      tenon_symbol_apply((uint32_t)number_of(one->args[0]), args, number_of(one->args[3]), &result);
  assert_int_equal(result.tag, TENON_TAG_NONE);
  return close_symbols(&made, status);
}

// SYMBOL, or "NULL" for no value
static tenon_status symbol_guard(const bad_world* world, const bad_case* one) {
  (void)world;
  symbols made;
  open_symbols(&made);
  const int given = text_of(one->args[0]) != NULL;
  const tenon_value value = given ? value_named(&made, one->args[0]) : tenon_value_of_none();
  tenon_value result;
  const tenon_status status = tenon_symbol_guard(given ? &value : NULL, "model.py", 12, &result);
  assert_int_equal(result.tag, TENON_TAG_NONE);
  return close_symbols(&made, status);
}

// FUNCTION A B
static tenon_status dim_apply(const bad_world* world, const bad_case* one) {
  (void)world;
  symbols made;
  open_symbols(&made);
  int64_t result = 7;
  const tenon_status status =
      tenon_dim_apply((uint32_t)number_of(one->args[0]), word_named(&made, one->args[1]),
                      word_named(&made, one->args[2]), &result);
  assert_int_equal(result, 0);
  return close_symbols(&made, status);
}

// RELATION A B
static tenon_status dim_compare(const bad_world* world, const bad_case* one) {
  (void)world;
  symbols made;
  open_symbols(&made);
  int32_t holds = 7;
  const tenon_status status =
      tenon_dim_compare((uint32_t)number_of(one->args[0]), word_named(&made, one->args[1]),
                        word_named(&made, one->args[2]), &holds);
  assert_int_equal(holds, 0);
  return close_symbols(&made, status);
}

// SIZE OTHER_SIZE FIELDS: "dtype=N", "ndim=N", "flags=N", "offset=N", "cpu=1", "alias=1",
// "struct_size=N", "reserved=N"
static tenon_status tensor_new_symbolic(const bad_world* world, const bad_case* one) {
  symbols made;
  open_symbols(&made);
  const char* fields = one->args[2];
  const int64_t sizes[2] = {word_named(&made, one->args[0]), word_named(&made, one->args[1])};
  const tenon_device cpu = {TENON_DEVICE_CPU, 0};
  tenon_symbolic_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = (uint32_t)field_of(fields, "struct_size", sizeof options);
  options.flags = (uint32_t)field_of(fields, "flags", 0);
  options.dtype = (tenon_dtype)field_of(fields, "dtype", TENON_DTYPE_F32);
  options.ndim = field_of(fields, "ndim", 2);
  options.sizes = sizes;
  options.storage_offset = field_of(fields, "offset", 0);
  options.reserved[3] = (uint64_t)field_of(fields, "reserved", 0);
  if (field_of(fields, "cpu", 0) != 0) options.device = &cpu;
  if (field_of(fields, "alias", 0) != 0) options.alias_of = world->tensor;
  tenon_tensor* tensor = NULL;
  const tenon_status status = tenon_tensor_new_symbolic(&options, &tensor);
  assert_null(tensor);
  return close_symbols(&made, status);
}

// SIZE
static tenon_status tensor_specialize(const bad_world* world, const bad_case* one) {
  (void)world;
  symbols made;
  open_symbols(&made);
  const int64_t sizes[1] = {word_named(&made, one->args[0])};
  tenon_symbolic_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.dtype = TENON_DTYPE_F32;
  options.ndim = 1;
  options.sizes = sizes;
  tenon_tensor* tensor = NULL;
  assert_ok(tenon_tensor_new_symbolic(&options, &tensor));
  const tenon_status status = tenon_tensor_specialize(tensor, "weight");
  assert_true((tenon_tensor_flags(tensor) & TENON_TENSOR_SYMBOLIC) != 0);
  tenon_tensor_release(tensor);
  return close_symbols(&made, status);
}

const bad_named_call bad_symbol_calls[] = {{"shape_env_new", &shape_env_new},
                                           {"shape_env_new_size", &shape_env_new_size},
                                           {"shape_env_guard", &shape_env_guard},
                                           {"shape_env_check", &shape_env_check},
                                           {"symbol_new", &symbol_new},
                                           {"symbol_bounds", &symbol_bounds},
                                           {"symbol_evaluate", &symbol_evaluate},
                                           {"symbol_apply", &symbol_apply},
                                           {"symbol_guard", &symbol_guard},
                                           {"dim_apply", &dim_apply},
                                           {"dim_compare", &dim_compare},
                                           {"tensor_new_symbolic", &tensor_new_symbolic},
                                           {"tensor_specialize", &tensor_specialize},
                                           {NULL, NULL}};
