// SPDX-License-Identifier: Apache-2.0
// Checks of operators from C: right ones pass, each mistake is found and named.
#include "support.h"

static const uint32_t kChecks[4] = {TENON_OPCHECK_SCHEMA, TENON_OPCHECK_AUTOGRAD_REGISTRATION,
                                    TENON_OPCHECK_FAKE, TENON_OPCHECK_TRACE};

static const tenon_op* find(const char* name) {
  const tenon_op* op = NULL;
  assert_ok(tenon_op_find(name, &op));
  return op;
}

static tenon_status apply(const char* name, tenon_value* args, uint32_t nargs, tenon_stack* stack) {
  stack->rets[0] = tenon_value_of_none();
  return call(find(name), args, nargs, stack->rets, 1);
}

// ---- Kernels ------------------------------------------------------------------------------------

static tenon_status clone(tenon_stack* stack) {
  tenon_value args[2] = {stack->args[0], tenon_value_of_none()};
  return apply("aten::clone", args, 2, stack);
}
static tenon_status clones(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  return clone(stack);
}
static tenon_status clones_and_writes(void* ctx, const tenon_op* op, tenon_keyset keys,
                                      tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  void* data = NULL;
  assert_ok(tenon_tensor_data(stack->args[0].as.tensor, &data));
  ((float*)data)[1] += 1;
  return clone(stack);
}
static tenon_status views(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  return apply("aten::detach", stack->args, 1, stack);
}
// A vector of one element more.
static tenon_status longer(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  const int64_t size = tenon_tensor_sizes(stack->args[0].as.tensor)[0] + 1;
  tenon_device device;
  tenon_tensor* made = NULL;
  tenon_fake_device(stack->args[0].as.tensor, &device);
  const tenon_status status = tenon_tensor_new(TENON_DTYPE_F32, &device, 1, &size, NULL, &made);
  if (status == TENON_OK) {
    stack->rets[0] = tenon_value_of_tensor(made);
    stack->rets[0].flags = TENON_VALUE_OWNED;
  }
  return status;
}

static tenon_kernel kernel_of(tenon_kernel_fn boxed) {
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = boxed;
  kernel.language = TENON_LANGUAGE_C;
  return kernel;
}

// Defines an operator "checked::f" with a CPU kernel, and with a fake kernel unless `fake` is NULL.
static tenon_library* define(const char* schema, tenon_kernel_fn boxed, tenon_kernel_fn fake) {
  tenon_library* library = NULL;
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, "checked", TENON_KEY_NONE, NULL, 0, &library));
  assert_ok(tenon_library_define(library, schema, NULL, NULL));
  tenon_kernel kernel = kernel_of(boxed);
  assert_ok(tenon_library_impl(library, "f", TENON_KEY_CPU, &kernel, NULL));
  if (fake != NULL) {
    kernel = kernel_of(fake);
    assert_ok(tenon_library_register_fake(library, "f", &kernel, NULL));
  }
  return library;
}

static tenon_status check_vector(const char* name, uint32_t check, int tracked,
                                 tenon_buffer** out_report) {
  const float elements[3] = {1, 2, 3};
  tenon_tensor* x = vector_of(elements, 3);
  if (tracked) assert_ok(tenon_tensor_set_requires_grad(x, 1));
  const tenon_value arg = tenon_value_of_tensor(x);
  const tenon_status status = tenon_opcheck(find(name), check, &arg, 1, -1, -1, out_report);
  void* data = NULL;
  assert_ok(tenon_tensor_data(x, &data));
  assert_memory_equal(data, elements, sizeof elements);  // copies are called with
  tenon_tensor_release(x);
  return status;
}

// Checks an operator on a vector; `expected` is part of the report, NULL expects no report.
static void assert_report(const char* name, uint32_t check, const char* expected) {
  tenon_buffer* report = NULL;
  assert_ok(check_vector(name, check, 0, &report));
  if (expected == NULL) {
    assert_null(report);
  } else {
    assert_non_null(report);
    const char* text = (const char*)tenon_buffer_data(report);
    if (strstr(text, expected) == NULL) fail_msg("expected \"%s\", got \"%s\"", expected, text);
  }
  tenon_buffer_release(report);
}

// ---- Tests --------------------------------------------------------------------------------------

static void Shipped_OfEachKind_Pass(void** state) {
  (void)state;
  const char* names[4] = {"aten::sin", "aten::t", "aten::relu_", "aten::nonzero"};
  for (int i = 0; i < 4; ++i) {
    for (int check = 0; check < 4; ++check) {
      tenon_buffer* report = NULL;
      assert_ok(check_vector(names[i], kChecks[check], i < 2, &report));
      if (report != NULL) fail_msg("%s: %s", names[i], (const char*)tenon_buffer_data(report));
    }
  }
}

static void Schema_UndeclaredWrite_IsFound(void** state) {
  (void)state;
  tenon_library* library = define("f(Tensor x) -> Tensor", &clones_and_writes, NULL);
  assert_report("checked::f", TENON_OPCHECK_SCHEMA,
                "Argument x is not defined as mutable but was mutated");
  tenon_library_release(library);
  library = define("f(Tensor(a!) x) -> Tensor", &clones_and_writes, NULL);
  assert_report("checked::f", TENON_OPCHECK_SCHEMA, NULL);
  tenon_library_release(library);
}

static void Schema_UndeclaredAlias_IsFound(void** state) {
  (void)state;
  tenon_library* library = define("f(Tensor x) -> Tensor", &views, NULL);
  assert_report("checked::f", TENON_OPCHECK_SCHEMA,
                "Argument x is not defined to alias output but was aliasing");
  tenon_library_release(library);
  library = define("f(Tensor(a) x) -> Tensor(a)", &views, NULL);
  assert_report("checked::f", TENON_OPCHECK_SCHEMA, NULL);
  tenon_library_release(library);
}

static void Fake_MissingOrWrong_IsFound(void** state) {
  (void)state;
  tenon_library* library = define("f(Tensor x) -> Tensor", &clones, NULL);
  tenon_buffer* report = NULL;
  assert_error(check_vector("checked::f", TENON_OPCHECK_FAKE, 0, &report), TENON_ERROR_NO_KERNEL,
               "checked::f");
  assert_null(report);
  tenon_library_release(library);
  library = define("f(Tensor x) -> Tensor", &clones, &longer);
  assert_report("checked::f", TENON_OPCHECK_FAKE, "sizes [3] and [4] are not equal");
  assert_report("checked::f", TENON_OPCHECK_TRACE, "sizes [3] and [4] are not equal");
  tenon_library_release(library);
  library = define("f(Tensor x) -> Tensor", &clones, &clones);
  assert_report("checked::f", TENON_OPCHECK_FAKE, NULL);
  tenon_library_release(library);
}

static void Registration_RecordedByTheKernel_IsFound(void** state) {
  (void)state;
  // Without a kernel at Autograd, the operators that the CPU kernel calls are recorded.
  tenon_library* library = define("f(Tensor x) -> Tensor", &clones, NULL);
  tenon_buffer* report = NULL;
  assert_ok(check_vector("checked::f", TENON_OPCHECK_AUTOGRAD_REGISTRATION, 1, &report));
  assert_non_null(report);
  assert_non_null(strstr((const char*)tenon_buffer_data(report),
                         "checked::f: at least one output of this operator has requires_grad"));
  tenon_buffer_release(report);
  assert_report("checked::f", TENON_OPCHECK_AUTOGRAD_REGISTRATION, NULL);  // no input is tracked
  tenon_library_release(library);
}

static void Trace_OfATrackedCall_Passes(void** state) {
  (void)state;
  tenon_library* library = define("f(Tensor x) -> Tensor", &clones, &clones);
  tenon_formula formula;
  memset(&formula, 0, sizeof formula);
  formula.struct_size = sizeof formula;
  formula.gradient = "x: grad";
  formula.language = TENON_LANGUAGE_C;
  assert_ok(tenon_library_register_autograd(library, "f", &formula, NULL));
  for (int check = 0; check < 4; ++check) {
    tenon_buffer* report = NULL;
    assert_ok(check_vector("checked::f", kChecks[check], 1, &report));
    assert_null(report);
  }
  tenon_library_release(library);
}

static void Arguments_ThatDoNotFit_AreErrors(void** state) {
  (void)state;
  tenon_buffer* report = NULL;
  const tenon_value number = tenon_value_of_int(1);
  assert_error(tenon_opcheck(find("aten::sin"), 9, &number, 1, -1, -1, &report),
               TENON_ERROR_INVALID_ARGUMENT, "TENON_OPCHECK_*");
  assert_error(tenon_opcheck(find("aten::sin"), 0, &number, 1, -1, -1, &report), TENON_ERROR_TYPE,
               "self");
  assert_null(report);
}

static int load_operators(void** state) {
  (void)state;
  find("aten::sin");
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(Shipped_OfEachKind_Pass),
      cmocka_unit_test(Schema_UndeclaredWrite_IsFound),
      cmocka_unit_test(Schema_UndeclaredAlias_IsFound),
      cmocka_unit_test(Fake_MissingOrWrong_IsFound),
      cmocka_unit_test(Registration_RecordedByTheKernel_IsFound),
      cmocka_unit_test(Trace_OfATrackedCall_Passes),
      cmocka_unit_test(Arguments_ThatDoNotFit_AreErrors),
  };
  return cmocka_run_group_tests(tests, &load_operators, NULL);
}
