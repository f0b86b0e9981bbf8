// SPDX-License-Identifier: Apache-2.0
// Fake tensors from C: constructors, modes, conversions, views, devices that are absent, kernels.
#include "support.h"

#include <pthread.h>

static const int64_t kSizes[2] = {2, 3};

static const tenon_op* find(const char* name) {
  const tenon_op* op = NULL;
  assert_ok(tenon_op_find(name, &op));
  return op;
}

static tenon_status try_apply(const char* name, const tenon_value* args, int64_t count,
                              tenon_value* ret) {
  *ret = tenon_value_of_none();
  return tenon_op_call_named(find(name), args, count, NULL, NULL, 0, ret, 1);
}

static tenon_tensor* apply(const char* name, const tenon_value* args, int64_t count) {
  tenon_value ret;
  assert_ok(try_apply(name, args, count, &ret));
  assert_int_equal(ret.tag, TENON_TAG_TENSOR);
  return ret.as.tensor;
}

static tenon_tensor* apply2(const char* name, tenon_tensor* a, tenon_tensor* b) {
  const tenon_value args[2] = {tenon_value_of_tensor(a), tenon_value_of_tensor(b)};
  return apply(name, args, 2);
}

static tenon_tensor* new_on(int32_t type, int32_t index) {
  const tenon_device device = {type, index};
  tenon_tensor* tensor = NULL;
  assert_ok(tenon_tensor_new(TENON_DTYPE_F32, &device, 2, kSizes, NULL, &tensor));
  return tensor;
}

static tenon_tensor* new_fake(int32_t type) { return new_on(type, TENON_DEVICE_FAKE); }

static void assert_fake_on(const tenon_tensor* tensor, int32_t type, int32_t index) {
  tenon_device device;
  void* data = NULL;
  assert_int_equal(tenon_tensor_is_fake(tensor), 1);
  tenon_tensor_device(tensor, &device);
  assert_int_equal(device.type, type);
  assert_int_equal(device.index, index);
  assert_error(tenon_tensor_data(tensor, &data), TENON_ERROR_STATE, "a fake tensor");
}

static tenon_fake_mode* new_mode(uint32_t flags) {
  tenon_fake_mode* mode = NULL;
  assert_ok(tenon_fake_mode_new(flags, &mode));
  return mode;
}

// Calls a factory operator without a device.
static tenon_tensor* ones(void) {
  const tenon_value args[1] = {tenon_value_of_ints(kSizes, 2)};
  return apply("aten::ones", args, 1);
}

// ---- Constructors -------------------------------------------------------------------------------

static void New_OnAFakeDevice_HasNoMemory(void** state) {
  (void)state;
  tenon_tensor* tensor = new_fake(TENON_DEVICE_CPU);
  assert_fake_on(tensor, TENON_DEVICE_CPU, 0);
  tenon_tensor_info info;
  assert_ok(tenon_tensor_describe(tensor, &info));
  assert_null(info.data);
  assert_int_equal(info.device.index, TENON_DEVICE_FAKE);
  tenon_tensor_release(tensor);
}

static void New_OnAnAbsentDevice_NeedsNoProvider(void** state) {
  (void)state;
  const tenon_device third = {TENON_DEVICE_CUDA, 3 + TENON_DEVICE_FAKE};
  tenon_tensor* tensor = NULL;
  assert_ok(tenon_tensor_new(TENON_DTYPE_F32, &third, 2, kSizes, NULL, &tensor));
  assert_fake_on(tensor, TENON_DEVICE_CUDA, 3);
  tenon_tensor_release(tensor);
}

static void NewLike_OfAFake_IsFake(void** state) {
  (void)state;
  tenon_tensor* tensor = new_fake(TENON_DEVICE_CPU);
  tenon_tensor* like = NULL;
  assert_ok(tenon_tensor_new_like(tensor, TENON_DTYPE_I64, &like, NULL));
  assert_fake_on(like, TENON_DEVICE_CPU, 0);
  tenon_tensor_release(like);
  tenon_tensor_release(tensor);
}

static void FakeDevice_MakesSiblings(void** state) {
  (void)state;
  tenon_tensor* real = new_on(TENON_DEVICE_CPU, 0);
  tenon_tensor* fake = new_fake(TENON_DEVICE_CUDA);
  tenon_device device;
  tenon_fake_device(real, &device);
  assert_int_equal(device.index, 0);
  tenon_fake_device(fake, &device);
  assert_int_equal(device.index, TENON_DEVICE_FAKE);
  tenon_tensor_release(fake);
  tenon_tensor_release(real);
}

static void Print_OfAFake_ShowsWhatItClaims(void** state) {
  (void)state;
  tenon_tensor* tensor = new_fake(TENON_DEVICE_CUDA);
  tenon_buffer* text = NULL;
  assert_ok(tenon_tensor_print(tensor, &text));
  assert_string_equal((const char*)tenon_buffer_data(text),
                      "FakeTensor(..., device='cuda:0', size=(2, 3))");
  tenon_buffer_release(text);
  tenon_tensor_release(tensor);
}

// ---- Operators ----------------------------------------------------------------------------------

static void Call_OnFakes_GivesAFake(void** state) {
  (void)state;
  tenon_tensor* a = new_fake(TENON_DEVICE_CUDA);
  tenon_tensor* sum = apply2("aten::add.Tensor", a, a);
  assert_fake_on(sum, TENON_DEVICE_CUDA, 0);
  assert_int_equal(tenon_tensor_sizes(sum)[1], 3);
  tenon_tensor_release(sum);
  tenon_tensor_release(a);
}

static void Call_OfAView_SharesTheVersion(void** state) {
  (void)state;
  tenon_tensor* a = new_fake(TENON_DEVICE_CPU);
  const tenon_value self[1] = {tenon_value_of_tensor(a)};
  tenon_tensor* t = apply("aten::t", self, 1);
  assert_fake_on(t, TENON_DEVICE_CPU, 0);
  assert_int_equal(tenon_tensor_strides(t)[0], 1);
  const tenon_value args[2] = {tenon_value_of_tensor(t), tenon_value_of_float(2)};
  tenon_tensor* same = apply("aten::mul_.Scalar", args, 2);
  assert_ptr_equal(same, t);
  assert_int_equal(tenon_tensor_version(a), 1);
  tenon_tensor_release(same);
  tenon_tensor_release(t);
  tenon_tensor_release(a);
}

static void Call_OnTwoDevices_FailsWithTheKernelsWords(void** state) {
  (void)state;
  tenon_tensor* a = new_fake(TENON_DEVICE_CPU);
  tenon_tensor* b = new_fake(TENON_DEVICE_CUDA);
  const tenon_value args[2] = {tenon_value_of_tensor(a), tenon_value_of_tensor(b)};
  tenon_value ret;
  assert_error(try_apply("aten::add.Tensor", args, 2, &ret), TENON_ERROR_INVALID_ARGUMENT,
               "must be on cpu like the other tensors, got cuda:0");
  tenon_tensor_release(b);
  tenon_tensor_release(a);
}

static void Call_WithANumberBesides_TakesItAlong(void** state) {
  (void)state;
  tenon_tensor* a = new_fake(TENON_DEVICE_CUDA);
  tenon_tensor* number = NULL;
  const tenon_value two = tenon_value_of_float(2);
  assert_ok(tenon_tensor_new_number(&two, &number));
  tenon_tensor* product = apply2("aten::mul.Tensor", number, a);
  assert_fake_on(product, TENON_DEVICE_CUDA, 0);
  tenon_tensor_release(product);
  tenon_tensor_release(number);
  tenon_tensor_release(a);
}

static void Call_WithARealTensorBesides_NamesIt(void** state) {
  (void)state;
  tenon_tensor* a = new_fake(TENON_DEVICE_CPU);
  tenon_tensor* real = new_on(TENON_DEVICE_CPU, 0);
  const tenon_value args[2] = {tenon_value_of_tensor(a), tenon_value_of_tensor(real)};
  tenon_value ret;
  assert_error(try_apply("aten::add.Tensor", args, 2, &ret), TENON_ERROR_INVALID_ARGUMENT,
               "aten::add.Tensor: other must be a fake tensor beside fake ones, got a real one on "
               "cpu of sizes [2, 3]");
  tenon_tensor_release(real);
  tenon_tensor_release(a);
}

static void Call_ThatDependsOnElements_SaysHowToGoOn(void** state) {
  (void)state;
  tenon_tensor* a = new_fake(TENON_DEVICE_CUDA);
  const tenon_value args[1] = {tenon_value_of_tensor(a)};
  tenon_value ret;
  assert_int_equal(try_apply("aten::nonzero", args, 1, &ret), TENON_ERROR_DATA_DEPENDENT);
  tenon_error* error = tenon_error_take();
  const char* text = tenon_error_format(error);
  assert_non_null(strstr(text, "aten::nonzero: self must have data"));
  assert_non_null(strstr(text, "got a fake tensor on cuda:0"));
  assert_non_null(strstr(text, "register a fake kernel"));
  tenon_error_release(error);
  tenon_tensor_release(a);
}

static void Call_WithADeviceArgument_MovesTheClaim(void** state) {
  (void)state;
  tenon_tensor* a = new_fake(TENON_DEVICE_CUDA);
  const tenon_device cpu = {TENON_DEVICE_CPU, 0};
  tenon_value args[7] = {tenon_value_of_tensor(a), [3] = tenon_value_of_device(cpu)};
  args[5] = tenon_value_of_bool(0);
  tenon_value ret;
  assert_ok(call(find("aten::_to_copy"), args, 7, &ret, 1));
  tenon_tensor* moved = ret.as.tensor;
  assert_fake_on(moved, TENON_DEVICE_CPU, 0);
  tenon_tensor_release(moved);
  tenon_tensor_release(a);
}

// ---- Modes --------------------------------------------------------------------------------------

static void Mode_Entered_MakesFactoriesGiveFakes(void** state) {
  (void)state;
  tenon_fake_mode* mode = new_mode(0);
  tenon_fake_guard guard;
  assert_ok(tenon_fake_mode_enter(mode, &guard));
  tenon_fake_mode* current = tenon_fake_mode_copy_current();
  assert_ptr_equal(current, mode);
  tenon_fake_mode_release(current);
  tenon_tensor* inside = ones();
  assert_ok(tenon_fake_mode_leave(&guard));
  assert_fake_on(inside, TENON_DEVICE_CPU, 0);
  assert_null(tenon_fake_mode_copy_current());
  tenon_tensor* outside = ones();
  assert_int_equal(tenon_tensor_is_fake(outside), 0);
  tenon_tensor_release(outside);
  tenon_tensor_release(inside);
  tenon_fake_mode_release(mode);
}

static void Mode_Nested_RestoresTheOuterOne(void** state) {
  (void)state;
  tenon_fake_mode* outer = new_mode(0);
  tenon_fake_mode* inner = new_mode(TENON_FAKE_ALLOW_REAL);
  tenon_fake_guard guards[2];
  assert_ok(tenon_fake_mode_enter(outer, &guards[0]));
  assert_ok(tenon_fake_mode_enter(inner, &guards[1]));
  assert_error(tenon_fake_mode_leave(&guards[0]), TENON_ERROR_STATE, "innermost");
  assert_ok(tenon_fake_mode_leave(&guards[1]));
  tenon_fake_mode* current = tenon_fake_mode_copy_current();
  assert_ptr_equal(current, outer);
  tenon_fake_mode_release(current);
  assert_ok(tenon_fake_mode_leave(&guards[0]));
  tenon_fake_mode_release(inner);
  tenon_fake_mode_release(outer);
}

static void Mode_MeetingARealTensor_RefusesOrConverts(void** state) {
  (void)state;
  tenon_tensor* real = new_on(TENON_DEVICE_CPU, 0);
  const tenon_value args[2] = {tenon_value_of_tensor(real), tenon_value_of_tensor(real)};
  tenon_value ret;
  tenon_fake_guard guard;
  tenon_fake_mode* strict = new_mode(0);
  assert_ok(tenon_fake_mode_enter(strict, &guard));
  assert_error(try_apply("aten::add.Tensor", args, 2, &ret), TENON_ERROR_INVALID_ARGUMENT,
               "self must be a fake tensor in a fake mode");
  assert_ok(tenon_fake_mode_leave(&guard));
  tenon_fake_mode* mild = new_mode(TENON_FAKE_ALLOW_REAL);
  assert_ok(tenon_fake_mode_enter(mild, &guard));
  tenon_tensor* sum = apply("aten::add.Tensor", args, 2);
  assert_ok(tenon_fake_mode_leave(&guard));
  assert_fake_on(sum, TENON_DEVICE_CPU, 0);
  tenon_tensor_release(sum);
  tenon_fake_mode_release(mild);
  tenon_fake_mode_release(strict);
  tenon_tensor_release(real);
}

static void* make_ones(void* out) {
  *(tenon_tensor**)out = ones();
  return NULL;
}

static void Mode_OfOneThread_LeavesOthersAlone(void** state) {
  (void)state;
  tenon_fake_mode* mode = new_mode(0);
  tenon_fake_guard guard;
  tenon_tensor* elsewhere = NULL;
  pthread_t thread;
  assert_ok(tenon_fake_mode_enter(mode, &guard));
  assert_int_equal(pthread_create(&thread, NULL, make_ones, &elsewhere), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_ok(tenon_fake_mode_leave(&guard));
  assert_int_equal(tenon_tensor_is_fake(elsewhere), 0);
  tenon_tensor_release(elsewhere);
  tenon_fake_mode_release(mode);
}

static void ThreadState_CarriesTheMode(void** state) {
  (void)state;
  tenon_fake_mode* mode = new_mode(0);
  tenon_fake_guard guard;
  tenon_thread_state *captured = NULL, *previous = NULL;
  assert_ok(tenon_fake_mode_enter(mode, &guard));
  assert_ok(tenon_thread_state_capture(&captured));
  assert_ok(tenon_fake_mode_leave(&guard));
  assert_ok(tenon_thread_state_enter(captured, &previous));
  tenon_tensor* inside = ones();
  assert_ok(tenon_thread_state_leave(previous));
  assert_fake_on(inside, TENON_DEVICE_CPU, 0);
  tenon_tensor_release(inside);
  tenon_thread_state_release(captured);
  tenon_fake_mode_release(mode);
}

// ---- Conversions --------------------------------------------------------------------------------

static void CopyFake_Twice_GivesTheSameTensor(void** state) {
  (void)state;
  tenon_fake_mode* mode = new_mode(0);
  tenon_tensor* real = new_on(TENON_DEVICE_CPU, 0);
  tenon_tensor *first = NULL, *second = NULL, *apart = NULL, *itself = NULL;
  assert_ok(tenon_tensor_copy_fake(real, mode, &first));
  assert_ok(tenon_tensor_copy_fake(real, mode, &second));
  assert_ok(tenon_tensor_copy_fake(real, NULL, &apart));
  assert_ok(tenon_tensor_copy_fake(first, NULL, &itself));
  assert_ptr_equal(first, second);
  assert_ptr_equal(first, itself);
  assert_ptr_not_equal(first, apart);
  assert_fake_on(apart, TENON_DEVICE_CPU, 0);
  tenon_tensor_release(itself);
  tenon_tensor_release(apart);
  tenon_tensor_release(second);
  tenon_tensor_release(first);
  tenon_tensor_release(real);
  tenon_fake_mode_release(mode);
}

static void CopyFake_OfAView_IsAViewOfTheSameBase(void** state) {
  (void)state;
  tenon_fake_mode* mode = new_mode(0);
  tenon_tensor* real = new_on(TENON_DEVICE_CPU, 0);
  const tenon_value self[1] = {tenon_value_of_tensor(real)};
  tenon_tensor* view = apply("aten::t", self, 1);
  tenon_tensor *fake = NULL, *base = NULL, *wanted = NULL;
  assert_ok(tenon_tensor_copy_fake(view, mode, &fake));
  assert_ok(tenon_tensor_copy_fake(real, mode, &wanted));
  base = tenon_tensor_copy_base(fake);
  assert_ptr_equal(base, wanted);
  assert_int_equal(tenon_tensor_strides(fake)[0], 1);
  tenon_tensor_release(base);
  tenon_tensor_release(wanted);
  tenon_tensor_release(fake);
  tenon_tensor_release(view);
  tenon_tensor_release(real);
  tenon_fake_mode_release(mode);
}

static void CopyFake_OfManyDeadTensors_KeepsFew(void** state) {
  (void)state;
  tenon_fake_mode* mode = new_mode(0);
  const live_counts before = count_live();
  for (int i = 0; i < 1000; ++i) {
    tenon_tensor *real = new_on(TENON_DEVICE_CPU, 0), *fake = NULL;
    assert_ok(tenon_tensor_copy_fake(real, mode, &fake));
    tenon_tensor_release(fake);
    tenon_tensor_release(real);
  }
  assert_true(count_live().of[TENON_HANDLE_TENSOR] - before.of[TENON_HANDLE_TENSOR] <= 128);
  tenon_fake_mode_release(mode);
}

// ---- Kernels ------------------------------------------------------------------------------------

typedef struct {
  int calls;
  int deleted;
  const tenon_op* running;
} seen;

// Returns ones with one more row than the argument, without naming a device or a fake tensor.
static tenon_status row_more(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)op;
  (void)keys;
  seen* notes = ctx;
  ++notes->calls;
  notes->running = tenon_fake_running();
  const int64_t sizes[2] = {tenon_tensor_sizes(stack->args[0].as.tensor)[0] + 1, 3};
  const tenon_value args[1] = {tenon_value_of_ints(sizes, 2)};
  return tenon_op_call_named(find("aten::ones"), args, 1, NULL, NULL, 0, stack->rets, 1);
}

static void note_deleted(void* ctx) { ++((seen*)ctx)->deleted; }

static tenon_kernel kernel_of(seen* notes, uint32_t policy) {
  tenon_kernel kernel = {.struct_size = sizeof kernel, .language = TENON_LANGUAGE_C};
  kernel.boxed = row_more;
  kernel.ctx = notes;
  kernel.deleter = note_deleted;
  kernel.policy = policy;
  kernel.name = "row_more";
  return kernel;
}

static tenon_library* library_with(const char* schema) {
  tenon_library* library = NULL;
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, "fakes", TENON_KEY_NONE, NULL, 0, &library));
  assert_ok(tenon_library_define(library, schema, NULL, NULL));
  return library;
}

static void Register_ServesFakesAndMeta(void** state) {
  (void)state;
  seen notes = {0};
  tenon_library* library = library_with("longer(Tensor x) -> Tensor");
  const tenon_kernel kernel = kernel_of(&notes, TENON_REPLACE_ERROR);
  assert_ok(tenon_library_register_fake(library, "longer", &kernel, NULL));
  tenon_tensor* fake = new_fake(TENON_DEVICE_CUDA);
  const tenon_value self[1] = {tenon_value_of_tensor(fake)};
  tenon_tensor* longer = apply("fakes::longer", self, 1);
  // The kernel named no device, so the result is on the CPU, as in a mode.
  assert_fake_on(longer, TENON_DEVICE_CPU, 0);
  assert_int_equal(tenon_tensor_sizes(longer)[0], 3);
  assert_ptr_equal(notes.running, find("fakes::longer"));
  assert_null(tenon_fake_running());
  tenon_tensor_release(longer);
  tenon_tensor_release(fake);
  tenon_tensor* meta = new_on(TENON_DEVICE_META, 0);
  const tenon_value on_meta[1] = {tenon_value_of_tensor(meta)};
  longer = apply("fakes::longer", on_meta, 1);
  assert_null(notes.running);
  assert_int_equal(notes.calls, 2);
  tenon_tensor_release(longer);
  tenon_tensor_release(meta);
  tenon_library_release(library);
  tenon_registry_reap();
  assert_int_equal(notes.deleted, 1);
}

static void Register_WhatIsServedAlready_Fails(void** state) {
  (void)state;
  seen notes = {0};
  tenon_library* library = library_with("twice(Tensor x) -> Tensor");
  assert_ok(tenon_library_define(library, "by_meta(Tensor x) -> Tensor", NULL, NULL));
  assert_ok(tenon_library_define(library, "composite(Tensor x) -> Tensor", NULL, NULL));
  tenon_kernel kernel = kernel_of(&notes, TENON_REPLACE_LAYER);
  assert_ok(tenon_library_register_fake(library, "twice", &kernel, NULL));
  assert_error(tenon_library_register_fake(library, "twice", &kernel, NULL),
               TENON_ERROR_ALREADY_EXISTS, "must not have a fake kernel yet, got row_more");
  assert_ok(tenon_library_impl(library, "by_meta", TENON_KEY_META, &kernel, NULL));
  assert_error(tenon_library_register_fake(library, "by_meta", &kernel, NULL),
               TENON_ERROR_ALREADY_EXISTS, "must not have a kernel for Meta, got row_more");
  assert_ok(tenon_library_impl(library, "composite", TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD, &kernel,
                               NULL));
  assert_error(tenon_library_register_fake(library, "composite", &kernel, NULL),
               TENON_ERROR_INVALID_ARGUMENT, "must not have a CompositeImplicitAutograd kernel");
  assert_int_equal(notes.deleted, 3);
  kernel.policy = TENON_REPLACE_OVERRIDE;
  assert_ok(tenon_library_register_fake(library, "twice", &kernel, NULL));
  tenon_library_release(library);
  tenon_registry_reap();
  assert_int_equal(notes.deleted, 7);
}

static void Call_WithoutAnyKernel_NamesWhatToRegister(void** state) {
  (void)state;
  tenon_library* library = library_with("bare(Tensor x) -> Tensor");
  tenon_tensor* fake = new_fake(TENON_DEVICE_CPU);
  const tenon_value self[1] = {tenon_value_of_tensor(fake)};
  tenon_value ret;
  assert_error(try_apply("fakes::bare", self, 1, &ret), TENON_ERROR_NO_KERNEL,
               "fakes::bare: operator must have a fake kernel");
  tenon_tensor_release(fake);
  tenon_library_release(library);
}

// ---- Gradients ----------------------------------------------------------------------------------

static void Backward_OnFakes_GivesFakeGradients(void** state) {
  (void)state;
  tenon_tensor* w = new_fake(TENON_DEVICE_CUDA);
  assert_ok(tenon_tensor_set_requires_grad(w, 1));
  tenon_tensor* product = apply2("aten::mul.Tensor", w, w);
  const tenon_value self[1] = {tenon_value_of_tensor(product)};
  tenon_tensor* sum = apply("aten::sum", self, 1);
  const tenon_backward_options options = {
      .struct_size = sizeof options, .outputs = &sum, .noutputs = 1};
  assert_ok(tenon_backward(&options));
  tenon_tensor* grad = NULL;
  assert_ok(tenon_tensor_copy_grad(w, &grad));
  assert_fake_on(grad, TENON_DEVICE_CUDA, 0);
  tenon_tensor_release(grad);
  tenon_tensor_release(sum);
  tenon_tensor_release(product);
  tenon_tensor_release(w);
}

static int remember_live(void** state) {
  static live_counts before;
  tenon_tensor_release(ones());  // loads the plugin
  before = count_live();
  *state = &before;
  return 0;
}

static int compare_live(void** state) {
  assert_nothing_left(*(live_counts*)*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(New_OnAFakeDevice_HasNoMemory),
      cmocka_unit_test(New_OnAnAbsentDevice_NeedsNoProvider),
      cmocka_unit_test(NewLike_OfAFake_IsFake),
      cmocka_unit_test(FakeDevice_MakesSiblings),
      cmocka_unit_test(Print_OfAFake_ShowsWhatItClaims),
      cmocka_unit_test(Call_OnFakes_GivesAFake),
      cmocka_unit_test(Call_OfAView_SharesTheVersion),
      cmocka_unit_test(Call_OnTwoDevices_FailsWithTheKernelsWords),
      cmocka_unit_test(Call_WithANumberBesides_TakesItAlong),
      cmocka_unit_test(Call_WithARealTensorBesides_NamesIt),
      cmocka_unit_test(Call_ThatDependsOnElements_SaysHowToGoOn),
      cmocka_unit_test(Call_WithADeviceArgument_MovesTheClaim),
      cmocka_unit_test(Mode_Entered_MakesFactoriesGiveFakes),
      cmocka_unit_test(Mode_Nested_RestoresTheOuterOne),
      cmocka_unit_test(Mode_MeetingARealTensor_RefusesOrConverts),
      cmocka_unit_test(Mode_OfOneThread_LeavesOthersAlone),
      cmocka_unit_test(ThreadState_CarriesTheMode),
      cmocka_unit_test(CopyFake_Twice_GivesTheSameTensor),
      cmocka_unit_test(CopyFake_OfAView_IsAViewOfTheSameBase),
      cmocka_unit_test(CopyFake_OfManyDeadTensors_KeepsFew),
      cmocka_unit_test(Register_ServesFakesAndMeta),
      cmocka_unit_test(Register_WhatIsServedAlready_Fails),
      cmocka_unit_test(Call_WithoutAnyKernel_NamesWhatToRegister),
      cmocka_unit_test(Backward_OnFakes_GivesFakeGradients),
  };
  return cmocka_run_group_tests(tests, remember_live, compare_live);
}
