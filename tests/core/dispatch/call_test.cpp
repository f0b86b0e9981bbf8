// SPDX-License-Identifier: Apache-2.0
// Calls: which keys a call is dispatched with, guards, redispatch, factories, the profile.
#include <thread>

#include "base/thread.h"
#include "support.h"

namespace tenon::test {
namespace {

// Restores the thread's key sets after each test.
class Calls : public DispatchTest {
 protected:
  void SetUp() override {
    include_ = tenon_keyset_included();
    exclude_ = tenon_keyset_excluded();
  }
  void TearDown() override {
    EXPECT_EQ(tenon_keyset_included(), include_);
    EXPECT_EQ(tenon_keyset_excluded(), exclude_);
    DispatchTest::TearDown();
  }
  tenon_keyset key_set_of(const tenon_op* op, std::vector<tenon_value> args) {
    tenon_keyset set = 0;
    TENON_EXPECT_OK(
        tenon_op_compute_keys(op, args.data(), static_cast<int64_t>(args.size()), &set));
    return set;
  }
  TestLibrary library_;
  TestTensor cpu_;
  TestTensor cuda_{TENON_KEY_CUDA};
  TestTensor tracked_{TENON_KEY_CPU, TENON_KEY_AUTOGRAD_CPU};

 private:
  tenon_keyset include_ = 0;
  tenon_keyset exclude_ = 0;
};

TEST_F(Calls, Item51_CpuAndCudaTensor_GoesToCuda) {
  const tenon_op* op = library_.define("two(Tensor a, Tensor b) -> ()");
  library_.impl("two", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("two", TENON_KEY_CUDA, logging_kernel("cuda"));
  TENON_EXPECT_OK(call(op, {tensor_value(cpu_), tensor_value(cuda_)}));
  TENON_EXPECT_OK(call(op, {tensor_value(cuda_), tensor_value(cpu_)}));
  TENON_EXPECT_OK(call(op, {tensor_value(cpu_), tensor_value(cpu_)}));
  EXPECT_EQ(take_notes(), "cuda cuda cpu");
}

TEST_F(Calls, Item52_BackendKernelElseComposite) {
  const tenon_op* op = library_.define("two(Tensor a, Tensor b) -> ()");
  library_.impl("two", TENON_KEY_CUDA, logging_kernel("cuda"));
  library_.impl("two", TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD, logging_kernel("cia"));
  TENON_EXPECT_OK(call(op, {tensor_value(cuda_), tensor_value(cpu_)}));
  TENON_EXPECT_OK(call(op, {tensor_value(cpu_), tensor_value(cpu_)}));
  EXPECT_EQ(take_notes(), "cuda cia");
}

TEST_F(Calls, OneToFourPlainTensors_EachContributes) {
  for (size_t count = 1; count <= 4; ++count) {
    const std::string name = "plain" + std::to_string(count);
    std::string schema = name + "(";
    for (size_t i = 0; i < count; ++i)
      schema += (i ? ", Tensor a" : "Tensor a") + std::to_string(i);
    const tenon_op* op = library_.define((schema + ", int n) -> ()").c_str());
    library_.impl(name.c_str(), TENON_KEY_CPU, logging_kernel("cpu"));
    library_.impl(name.c_str(), TENON_KEY_CUDA, logging_kernel("cuda"));
    for (size_t other = 0; other < count; ++other) {
      std::vector<tenon_value> args(count, tensor_value(cpu_));
      args[other] = tensor_value(cuda_);
      args.push_back(int_value(1));
      TENON_EXPECT_OK(call(op, args));
      EXPECT_EQ(take_notes(), "cuda") << count << " tensors, CUDA at " << other;
    }
    std::vector<tenon_value> args(count, tensor_value(cpu_));
    args.push_back(int_value(1));
    TENON_EXPECT_OK(call(op, args));
    EXPECT_EQ(take_notes(), "cpu");
    args[0] = int_value(1);
    TENON_EXPECT_ERROR(call(op, args), TENON_ERROR_TYPE, "a0 must be Tensor, got int");
    args[0] = tensor_value(cpu_);
    args[count - 1] = tenon_value{};
    TENON_EXPECT_ERROR(call(op, args), TENON_ERROR_TYPE, "must be Tensor, got None");
    args.pop_back();
    TENON_EXPECT_ERROR(call(op, args), TENON_ERROR_TYPE, "number of arguments must be");
  }
}

TEST_F(Calls, Item53_To57_EachArgumentTypeContributesWhatItShould) {
  const tenon_op* op = library_.define(
      "all(Tensor? a, Tensor[] b, Tensor?[] c, Tensor[]? d, Device e, ScalarType f, Scalar g, "
      "(Tensor, int) h, Dict(str, Tensor) i, Any j) -> ()");
  const tenon_tensor* cpu_list[1] = {cpu_.get()};
  const tenon_tensor* mixed[3] = {cpu_.get(), nullptr, cuda_.get()};
  tenon_value tuple[2] = {tensor_value(cpu_), int_value(1)};
  tenon_value dict[2] = {string_value("k"), tensor_value(cpu_)};
  tenon_value dtype{};
  dtype.tag = TENON_TAG_DTYPE;
  const auto with = [&](size_t index, tenon_value value) {
    std::vector<tenon_value> args{tenon_value{},
                                  list_value(TENON_TAG_TENSOR_LIST, cpu_list, 1),
                                  list_value(TENON_TAG_TENSOR_LIST, nullptr, 0),
                                  tenon_value{},
                                  device_value(TENON_DEVICE_CUDA),
                                  dtype,
                                  int_value(3),
                                  list_value(TENON_TAG_TUPLE, tuple, 2),
                                  list_value(TENON_TAG_DICT, dict, 1),
                                  int_value(4)};
    if (index < args.size()) args[index] = value;
    return key_set_of(op, args);
  };
  const auto backends = [](tenon_keyset set) { return set & dispatch::kBackendMask; };
  const tenon_keyset both = keys({TENON_KEY_CPU, TENON_KEY_CUDA}) & dispatch::kBackendMask;
  EXPECT_EQ(backends(with(99, {})), 1u);  // 57: the CUDA device argument contributes nothing
  EXPECT_EQ(backends(with(0, tensor_value(cuda_))), both);                          // 53
  EXPECT_EQ(backends(with(1, list_value(TENON_TAG_TENSOR_LIST, mixed, 3))), both);  // 54
  EXPECT_EQ(backends(with(2, list_value(TENON_TAG_TENSOR_LIST, mixed, 3))), both);  // 55
  EXPECT_EQ(backends(with(3, list_value(TENON_TAG_TENSOR_LIST, mixed, 3))), both);  // 56
  tenon_value cuda_tuple[2] = {tensor_value(cuda_), int_value(1)};
  EXPECT_EQ(backends(with(7, list_value(TENON_TAG_TUPLE, cuda_tuple, 2))), both);
  tenon_value cuda_dict[2] = {string_value("k"), tensor_value(cuda_)};
  EXPECT_EQ(backends(with(8, list_value(TENON_TAG_DICT, cuda_dict, 1))), both);
  EXPECT_EQ(backends(with(9, tensor_value(cuda_))), both);
  tenon_value nested[1] = {list_value(TENON_TAG_LIST, cuda_tuple, 2)};
  EXPECT_EQ(backends(with(9, list_value(TENON_TAG_LIST, nested, 1))), both);
}

TEST_F(Calls, Item53_AbsentOptionalTensor_WrongTagsAreRefused) {
  const tenon_op* op = library_.define("opt(Tensor? a, Tensor[]? b, Tensor[] c) -> ()");
  library_.impl("opt", kExplicit, logging_kernel("cea"));
  const tenon_value none{};
  const tenon_value empty = list_value(TENON_TAG_TENSOR_LIST, nullptr, 0);
  TENON_EXPECT_OK(call(op, {none, none, empty}));
  TENON_EXPECT_ERROR(call(op, {int_value(1), none, empty}), TENON_ERROR_TYPE,
                     "a must be Tensor?, got int");
  TENON_EXPECT_ERROR(call(op, {none, int_value(1), empty}), TENON_ERROR_TYPE,
                     "b must be Tensor[]?");
  TENON_EXPECT_ERROR(call(op, {none, none, none}), TENON_ERROR_TYPE,
                     "c must be Tensor[], got None");
  EXPECT_EQ(take_notes(), "cea");
}

TEST_F(Calls, Item59_UndefinedTensor_ContributesNothing) {
  const tenon_op* op = library_.define("undef(Tensor a) -> ()");
  library_.impl("undef", TENON_KEY_CPU, logging_kernel("cpu"));
  tenon_value value{};
  value.tag = TENON_TAG_TENSOR;
  value.as.tensor = tenon_tensor_undefined();
  TENON_EXPECT_ERROR(call(op, {value}), TENON_ERROR_NO_KERNEL, "no tensor arguments");
}

TEST_F(Calls, Item60_IncludedKey_IsConsideredThoughNoTensorHasIt) {
  const tenon_op* op = library_.define("one(Tensor a) -> ()");
  library_.impl("one", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("one", TENON_KEY_WRAPPER, going_on("wrapper"));
  tenon_key_guard guard;
  TENON_EXPECT_OK(tenon_key_guard_include(keys({TENON_KEY_WRAPPER}), &guard));
  TENON_EXPECT_OK(call(op, {tensor_value(cpu_)}));
  tenon_key_guard_leave(&guard);
  TENON_EXPECT_OK(call(op, {tensor_value(cpu_)}));
  EXPECT_EQ(take_notes(), "wrapper@Wrapper cpu cpu");
}

TEST_F(Calls, Item61_IncludedAndExcluded_IsExcluded) {
  const tenon_op* op = library_.define("one(Tensor a) -> ()");
  library_.impl("one", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("one", TENON_KEY_WRAPPER, going_on("wrapper"));
  tenon_key_guard in, out;
  TENON_EXPECT_OK(tenon_key_guard_include(keys({TENON_KEY_WRAPPER}), &in));
  TENON_EXPECT_OK(tenon_key_guard_exclude(keys({TENON_KEY_WRAPPER}), &out));
  TENON_EXPECT_OK(call(op, {tensor_value(cpu_)}));
  tenon_key_guard_leave(&out);
  tenon_key_guard_leave(&in);
  EXPECT_EQ(take_notes(), "cpu");
}

TEST_F(Calls, Item62_DefaultThreadState) {
  std::thread([] {
    EXPECT_EQ(print(tenon_keyset_included()), "{ADInplaceOrView, BackendSelect}");
    EXPECT_EQ(tenon_keyset_excluded(), dispatch::functionality_bit(TENON_FUNCTIONALITY_AUTOCAST));
  }).join();
}

TEST_F(Calls, Item63_And64_NestedGuards_RestoreExactly) {
  const tenon_keyset tracer = keys({TENON_KEY_TRACER});
  tenon_key_guard outer, inner;
  TENON_EXPECT_OK(tenon_key_guard_exclude(tracer, &outer));
  TENON_EXPECT_OK(tenon_key_guard_exclude(tracer, &inner));
  tenon_key_guard_leave(&inner);
  EXPECT_EQ(tenon_keyset_excluded() & tracer, tracer);
  tenon_key_guard_leave(&outer);
  EXPECT_EQ(tenon_keyset_excluded() & tracer, 0u);
  const tenon_keyset select = keys({TENON_KEY_BACKEND_SELECT});
  TENON_EXPECT_OK(tenon_key_guard_include(select, &outer));
  tenon_key_guard_leave(&outer);
  EXPECT_EQ(tenon_keyset_included() & select, select);
}

TEST_F(Calls, Item65_ForceGuard_ReplacesAndRestoresBoth) {
  const tenon_keyset include = tenon_keyset_included(), exclude = tenon_keyset_excluded();
  tenon_key_guard guard;
  TENON_EXPECT_OK(
      tenon_key_guard_force(keys({TENON_KEY_TRACER}), keys({TENON_KEY_AUTOGRAD_CPU}), &guard));
  EXPECT_EQ(tenon_keyset_included(), keys({TENON_KEY_TRACER}));
  // Only functionality bits count: excluding AutogradCPU must not reroute a call from the CPU.
  EXPECT_EQ(tenon_keyset_excluded(), dispatch::functionality_bit(TENON_FUNCTIONALITY_AUTOGRAD));
  tenon_key_guard_leave(&guard);
  EXPECT_EQ(tenon_keyset_included(), include);
  EXPECT_EQ(tenon_keyset_excluded(), exclude);
}

TEST_F(Calls, Item66_GuardOfOneThread_DoesNotTouchAnother) {
  tenon_key_guard guard;
  TENON_EXPECT_OK(tenon_key_guard_include(keys({TENON_KEY_TRACER}), &guard));
  std::thread([] {
    EXPECT_EQ(tenon_keyset_has(tenon_keyset_included(), TENON_KEY_TRACER), 0);
  }).join();
  tenon_key_guard_leave(&guard);
}

// Calls its own operator again, with a guard that excludes Autograd.
tenon_status call_again_below_autograd(void*, const tenon_op* op, tenon_keyset,
                                       tenon_stack* stack) {
  notes().push_back("autograd");
  tenon_key_guard guard;
  tenon_key_guard_exclude(dispatch::functionality_bit(TENON_FUNCTIONALITY_AUTOGRAD), &guard);
  const tenon_status status = tenon_op_call_fast(op, stack);
  tenon_key_guard_leave(&guard);
  return status;
}

TEST_F(Calls, Item67_CalledAgainBelowAutograd_ReachesTheBackend) {
  const tenon_op* op = library_.define("one(Tensor a) -> ()");
  library_.impl("one", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("one", TENON_KEY_AUTOGRAD, kernel_of(&call_again_below_autograd));
  TENON_EXPECT_OK(call(op, {tensor_value(cpu_)}));
  EXPECT_EQ(take_notes(), "autograd cpu");
}

tenon_status call_self(void* deepest, const tenon_op* op, tenon_keyset, tenon_stack* stack) {
  ++*static_cast<int*>(deepest);
  return tenon_op_call_fast(op, stack);
}

TEST_F(Calls, Item68_EndlessRecursion_IsAnErrorAndTheThreadGoesOn) {
  int depth = 0;
  const tenon_op* op = library_.define("self(Tensor a) -> ()");
  tenon_registration* endless = library_.keep("self", TENON_KEY_CPU, kernel_of(&call_self, &depth));
  TENON_EXPECT_ERROR(call(op, {tensor_value(cpu_)}), TENON_ERROR_RECURSION,
                     "t::self: nested calls");
  EXPECT_GT(depth, 100);
  EXPECT_LE(depth, 4096);
  tenon_registration_remove(endless);
  library_.impl("self", TENON_KEY_CPU, logging_kernel("fine"));
  TENON_EXPECT_OK(call(op, {tensor_value(cpu_)}));
  EXPECT_EQ(take_notes(), "fine");
}

TEST_F(Calls, Item68_SmallStack_RecursionErrorBeforeItOverflows) {
  int depth = 0;
  const tenon_op* op = library_.define("self(Tensor a) -> ()");
  library_.impl("self", TENON_KEY_CPU, kernel_of(&call_self, &depth));
  struct Work {
    const tenon_op* op;
    tenon_tensor* tensor;
    tenon_status status;
  } work{op, cpu_.get(), TENON_OK};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 512 * 1024);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* given) -> void* {
                  auto* job = static_cast<Work*>(given);
                  tenon_value value{};
                  value.tag = TENON_TAG_TENSOR;
                  value.as.tensor = job->tensor;
                  job->status = call(job->op, {value});
                  take_error();
                  return nullptr;
                },
                &work),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(work.status, TENON_ERROR_RECURSION);
  EXPECT_GT(depth, 10);
}

tenon_status redispatch_to_set(void* set, const tenon_op* op, tenon_keyset, tenon_stack* stack) {
  notes().push_back("first");
  return tenon_op_redispatch(op, *static_cast<tenon_keyset*>(set), stack);
}

TEST_F(Calls, Item69_RedispatchWithExplicitSet_ThreadKeysAreNotConsulted) {
  const tenon_op* op = library_.define("one(Tensor a) -> ()");
  tenon_keyset target = keys({TENON_KEY_CUDA});
  library_.impl("one", TENON_KEY_CPU, kernel_of(&redispatch_to_set, &target));
  library_.impl("one", TENON_KEY_CUDA, logging_kernel("cuda"));
  library_.impl("one", TENON_KEY_TRACER, going_on("tracer"));
  tenon_key_guard guard;
  TENON_EXPECT_OK(tenon_key_guard_include(keys({TENON_KEY_TRACER}), &guard));
  TENON_EXPECT_OK(call(op, {tensor_value(cpu_)}));
  tenon_key_guard_leave(&guard);
  EXPECT_EQ(take_notes(), "tracer@Tracer first cuda");
}

TEST_F(Calls, Item70_To73_KernelsAtTracerAndAutograd_RunInOrderWithTheirKeyHighest) {
  const tenon_op* op = library_.define("one(Tensor a) -> ()");
  library_.impl("one", TENON_KEY_TRACER, going_on("t"));
  library_.impl("one", TENON_KEY_AUTOGRAD, going_on("a"));
  library_.impl("one", TENON_KEY_CPU, logging_kernel("cpu"));
  TestTensor profiled({TENON_KEY_CPU, TENON_KEY_TRACER});
  TENON_EXPECT_OK(call(op, {tensor_value(profiled)}));
  EXPECT_EQ(take_notes(), "t@Tracer a@AutogradCPU cpu");
}

TEST_F(Calls, Item74_BackendSelectKernel_RedispatchReachesCpu) {
  const tenon_op* op = library_.define("one(Tensor a) -> ()");
  library_.impl("one", TENON_KEY_BACKEND_SELECT, going_on("select"));
  library_.impl("one", TENON_KEY_CPU, logging_kernel("cpu"));
  TENON_EXPECT_OK(call(op, {tensor_value(cpu_)}));
  EXPECT_EQ(take_notes(), "select@BackendSelect cpu");
}

TEST_F(Calls, Item75_SeventyTensorArguments_AllContribute) {
  std::string schema = "wide(";
  for (int i = 0; i < 70; ++i) schema += (i ? ", Tensor a" : "Tensor a") + std::to_string(i);
  const tenon_op* op = library_.define((schema + ") -> ()").c_str());
  library_.impl("wide", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("wide", TENON_KEY_CUDA, logging_kernel("cuda"));
  for (size_t place : {0, 63, 64, 69}) {
    std::vector<tenon_value> args(70, tensor_value(cpu_));
    TENON_EXPECT_OK(call(op, args));
    args[place] = tensor_value(cuda_);
    TENON_EXPECT_OK(call(op, args));
    EXPECT_EQ(take_notes(), "cpu cuda") << place;
  }
}

TEST_F(Calls, Varargs_AreScannedAndNeedTheNamedOnes) {
  const tenon_op* op = library_.define("var(int n, ...) -> ...");
  library_.impl("var", TENON_KEY_CUDA, logging_kernel("cuda"));
  library_.impl("var", kExplicit, logging_kernel("cea"));
  TENON_EXPECT_OK(call(op, {int_value(1), tensor_value(cuda_)}));
  TENON_EXPECT_OK(call(op, {int_value(1)}));
  TENON_EXPECT_ERROR(call(op, {}), TENON_ERROR_TYPE, "at least 1, got 0");
  EXPECT_EQ(take_notes(), "cuda cea");
}

TEST_F(Calls, Item76_Call_LeavesReferenceCountsAlone) {
  const tenon_op* op = library_.define("mixed(Tensor a, Tensor? b, Tensor[] c) -> ()");
  library_.impl("mixed", TENON_KEY_CPU, logging_kernel("cpu"));
  const tenon_tensor* list[1] = {cpu_.get()};
  const int64_t before = tenon_tensor_use_count(cpu_.get());
  TENON_EXPECT_OK(call(
      op, {tensor_value(cpu_), tensor_value(cpu_), list_value(TENON_TAG_TENSOR_LIST, list, 1)}));
  EXPECT_EQ(tenon_tensor_use_count(cpu_.get()), before);
}

void profile_line(void* out, const tenon_profile_event* event) {
  auto* lines = static_cast<std::string*>(out);
  *lines += std::string(static_cast<size_t>(event->depth), ' ') +
            (event->redispatch != 0 ? "redispatch " : "call ") + tenon_op_name(event->op) + " " +
            tenon_key_name(event->key) + " " + event->kernel + "\n";
}

TEST_F(Calls, Item77_Profile_TellsOneLineADispatchWithNesting) {
  const tenon_op* op = library_.define("one(Tensor a) -> ()");
  library_.impl("one", TENON_KEY_AUTOGRAD, going_on("auto"));
  library_.impl("one", TENON_KEY_CPU, logging_kernel("cpu"));
  std::string lines;
  TENON_EXPECT_OK(tenon_profile_set_listener(&profile_line, &lines, nullptr));
  TENON_EXPECT_OK(call(op, {tensor_value(cpu_)}));
  tenon_frame frame;
  ASSERT_NE(tenon_frame_begin1(op, cpu_.get(), &frame), nullptr);
  tenon_frame_end(&frame, TENON_OK);
  TENON_EXPECT_OK(tenon_profile_set_listener(nullptr, nullptr, nullptr));
  TENON_EXPECT_OK(call(op, {tensor_value(cpu_)}));
  EXPECT_EQ(lines,
            "call t::one AutogradCPU auto\n redispatch t::one CPU cpu\n"
            "call t::one AutogradCPU auto\n");
}

struct ProfilingCaller {
  const tenon_op* op;
  tenon_tensor* tensor;
  int told;
};
void call_in_tracer(void* ctx, const tenon_profile_event*) {
  auto* caller = static_cast<ProfilingCaller*>(ctx);
  ++caller->told;
  tenon_value value{};
  value.tag = TENON_TAG_TENSOR;
  value.as.tensor = caller->tensor;
  call(caller->op, {value});
}

TEST_F(Calls, Item77_TracerThatCalls_IsNotToldOfItself) {
  const tenon_op* op = library_.define("one(Tensor a) -> ()");
  library_.impl("one", TENON_KEY_CPU, logging_kernel("cpu"));
  ProfilingCaller caller{op, cpu_.get(), 0};
  TENON_EXPECT_OK(tenon_profile_set_listener(&call_in_tracer, &caller, nullptr));
  TENON_EXPECT_OK(call(op, {tensor_value(cpu_)}));
  TENON_EXPECT_OK(call(op, {tensor_value(cpu_)}));
  TENON_EXPECT_OK(tenon_profile_set_listener(nullptr, nullptr, nullptr));
  EXPECT_EQ(caller.told, 2);
  EXPECT_EQ(take_notes(), "cpu cpu cpu cpu");
}

TEST_F(Calls, Factory_DeviceArgumentChoosesTheBackend) {
  const tenon_op* op = library_.define("make(int n, *, Device? device=None) -> ()");
  library_.impl("make", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("make", TENON_KEY_CUDA, logging_kernel("cuda"));
  library_.impl("make", TENON_KEY_META, logging_kernel("meta"));
  TENON_EXPECT_OK(call(op, {int_value(1), tenon_value{}}));
  TENON_EXPECT_OK(call(op, {int_value(1), device_value(TENON_DEVICE_CUDA)}));
  TENON_EXPECT_OK(call(op, {int_value(1), device_value(TENON_DEVICE_META)}));
  EXPECT_EQ(take_notes(), "cpu cuda meta");
  TENON_EXPECT_ERROR(call(op, {int_value(1), device_value(77)}), TENON_ERROR_INVALID_ARGUMENT,
                     "device");
  TENON_EXPECT_ERROR(call(op, {int_value(1), device_value(22)}), TENON_ERROR_INVALID_ARGUMENT,
                     "device");
}

// The backend is selected before the first dispatch, so kernels above BackendSelect see it.
TEST_F(Calls, Factory_LayerAboveBackendSelect_SeesTheBackend) {
  const tenon_op* op = library_.define("make(int n, *, Device? device=None) -> ()");
  library_.impl("make", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("make", TENON_KEY_CUDA, logging_kernel("cuda"));
  library_.impl("make", TENON_KEY_AUTOGRAD, going_on("autograd"));
  TENON_EXPECT_OK(call(op, {int_value(1), device_value(TENON_DEVICE_CUDA)}));
  EXPECT_EQ(take_notes(), "autograd@AutogradCUDA cuda");
  const tenon_value args[2] = {int_value(1), device_value(TENON_DEVICE_CUDA)};
  tenon_keyset keys = 0;
  TENON_EXPECT_OK(tenon_op_compute_keys(op, args, 2, &keys));
  EXPECT_EQ(tenon_keyset_highest(keys), TENON_KEY_AUTOGRAD_CUDA);
  tenon_frame frame;
  const tenon_entry* entry = tenon_frame_begin_boxed(op, args, 2, &frame);
  ASSERT_NE(entry, nullptr) << take_error();
  EXPECT_EQ(frame.keys, keys);
  tenon_frame_end(&frame, TENON_OK);
}

TEST_F(Calls, FallthroughComposite_WithoutTensors_IsMissingAndNotALoop) {
  const tenon_op* op = library_.define("nothing() -> ()");
  library_.impl("nothing", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, fallthrough());
  tenon_key_guard guard;
  TENON_EXPECT_OK(tenon_key_guard_exclude(keys({TENON_KEY_BACKEND_SELECT}), &guard));
  TENON_EXPECT_ERROR(call(op, {}), TENON_ERROR_NO_KERNEL, "nothing");
  tenon_key_guard_leave(&guard);
}

TEST_F(Calls, FactoryTyped_DeviceChoosesTheBackendWithoutBoxing) {
  const tenon_op* op = library_.define("make(int n, *, Device? device=None) -> ()");
  tenon_kernel cpu = logging_kernel("cpu"), cuda = logging_kernel("cuda");
  library_.impl("make", TENON_KEY_CPU, cpu);
  library_.impl("make", TENON_KEY_CUDA, cuda);
  tenon_frame frame;
  const tenon_device device{TENON_DEVICE_CUDA, 0};
  const tenon_entry* entry = tenon_frame_begin_factory(op, &device, &frame);
  ASSERT_NE(entry, nullptr) << take_error();
  EXPECT_STREQ(static_cast<const char*>(entry->ctx), "cuda");
  EXPECT_EQ(tenon_keyset_highest(frame.keys), TENON_KEY_CUDA);
  tenon_frame_end(&frame, TENON_OK);
  entry = tenon_frame_begin_factory(op, nullptr, &frame);
  ASSERT_NE(entry, nullptr) << take_error();
  EXPECT_STREQ(static_cast<const char*>(entry->ctx), "cpu");
  tenon_frame_end(&frame, TENON_OK);
  const tenon_device unknown{77, 0};
  EXPECT_EQ(tenon_frame_begin_factory(op, &unknown, &frame), nullptr);
  EXPECT_NE(take_error().find("device"), std::string::npos);
}

TEST_F(Calls, FactoryWithOwnBackendSelect_BuiltInStandsBack) {
  const tenon_op* op = library_.define("make(int n, *, Device? device=None) -> ()");
  library_.impl("make", TENON_KEY_BACKEND_SELECT, logging_kernel("mine"));
  library_.impl("make", TENON_KEY_CPU, logging_kernel("cpu"));
  TENON_EXPECT_OK(call(op, {int_value(1), tenon_value{}}));
  EXPECT_EQ(take_notes(), "mine");
}

TEST_F(Calls, ThreadState_CarriesKeysToAnotherThread) {
  tenon_key_guard guard;
  TENON_EXPECT_OK(tenon_key_guard_include(keys({TENON_KEY_TRACER}), &guard));
  tenon_thread_state* state = nullptr;
  TENON_EXPECT_OK(tenon_thread_state_capture(&state));
  tenon_key_guard_leave(&guard);
  std::thread([&] {
    const tenon_keyset before = tenon_keyset_included();
    tenon_thread_state* previous = nullptr;
    TENON_EXPECT_OK(tenon_thread_state_enter(state, &previous));
    EXPECT_EQ(tenon_keyset_has(tenon_keyset_included(), TENON_KEY_TRACER), 1);
    tenon_thread_state_leave(previous);
    EXPECT_EQ(tenon_keyset_included(), before);
  }).join();
  tenon_thread_state_release(state);
  EXPECT_EQ(tenon_introspect_live_count(TENON_HANDLE_THREAD_STATE), 0);
}

TEST_F(Calls, ADInplaceOrView_BumpsVersionsOfWrittenArgumentsOnly) {
  const tenon_op* op =
      library_.define("write(Tensor(a!) self, Tensor other, Tensor(b!)[] list) -> Tensor(a!)");
  const tenon_op* pure = library_.define("pure(Tensor self) -> ()");
  library_.impl("write", TENON_KEY_CPU, kernel_of(&return_first));
  library_.impl("pure", TENON_KEY_CPU, logging_kernel("pure"));
  EXPECT_EQ(slot(op, TENON_KEY_AD_INPLACE_OR_VIEW), "bump_versions");
  EXPECT_EQ(slot(pure, TENON_KEY_AD_INPLACE_OR_VIEW), "fall");
  TestTensor self, other, item;
  const tenon_tensor* list[2] = {item.get(), item.get()};
  const int64_t before = tenon_tensor_version(self.get());
  TENON_EXPECT_OK(call(
      op, {tensor_value(self), tensor_value(other), list_value(TENON_TAG_TENSOR_LIST, list, 2)},
      1));
  TENON_EXPECT_OK(call(pure, {tensor_value(self)}));
  EXPECT_EQ(tenon_tensor_version(self.get()), before + 1);
  EXPECT_EQ(tenon_tensor_version(other.get()), before);
  EXPECT_EQ(tenon_tensor_version(item.get()), before + 2);
}

// A kernel of a writing operator that calls another writing operator.
tenon_status write_by_inner(void* inner, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  Call nested({stack->args[0]}, 0);
  return tenon_op_call_fast(static_cast<const tenon_op*>(inner), nested.stack());
}

TEST_F(Calls, ADInplaceOrView_NestedWritesCountOnce) {
  const tenon_op* inner = library_.define("inner(Tensor(a!) self) -> ()");
  const tenon_op* outer = library_.define("outer(Tensor(a!) self) -> ()");
  library_.impl("inner", TENON_KEY_CPU, logging_kernel("inner"));
  library_.impl("outer", TENON_KEY_CPU, kernel_of(&write_by_inner, const_cast<tenon_op*>(inner)));
  TestTensor self;
  const int64_t before = tenon_tensor_version(self.get());
  TENON_EXPECT_OK(call(outer, {tensor_value(self)}));
  EXPECT_EQ(tenon_tensor_version(self.get()), before + 1);
  EXPECT_EQ(take_notes(), "inner");
}

TEST_F(Calls, ThreadEndsInsideAKernel_ItsLibraryCanStillBeClosed) {
  TestLibrary own(TENON_LIBRARY_FRAGMENT, "exiting");
  const tenon_op* op = own.define("leave(Tensor a) -> ()");
  bool freed = false;
  tenon_kernel kernel = kernel_of([](void*, const tenon_op*, tenon_keyset,
                                     tenon_stack*) -> tenon_status { pthread_exit(nullptr); },
                                  &freed);
  kernel.deleter = [](void* ctx) { *static_cast<bool*>(ctx) = true; };
  own.impl("leave", TENON_KEY_CPU, kernel);
  std::pair<const tenon_op*, tenon_tensor*> work{op, cpu_.get()};
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, nullptr,
                [](void* given) -> void* {
                  auto* job = static_cast<std::pair<const tenon_op*, tenon_tensor*>*>(given);
                  tenon_value value{};
                  value.tag = TENON_TAG_TENSOR;
                  value.as.tensor = job->second;
                  tenon_stack stack{};
                  stack.args = &value;
                  stack.nargs = 1;
                  tenon_op_call_fast(job->first, &stack);
                  ADD_FAILURE() << "the kernel returned";
                  return nullptr;
                },
                &work),
            0);
  pthread_join(thread, nullptr);
  own.close();
  TENON_EXPECT_OK(tenon_library_drain(own.get(), 1'000'000'000));
  EXPECT_TRUE(freed);
}

}  // namespace
}  // namespace tenon::test
