// SPDX-License-Identifier: Apache-2.0
// Grad mode and kernels for tracked tensors only: which calls reach Autograd, boxed and typed.
#include "tenon/grad_mode.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/thread.h"
#include "support.h"

namespace tenon::test {
namespace {

constexpr tenon_keyset kAutograd = dispatch::functionality_bit(TENON_FUNCTIONALITY_AUTOGRAD);
constexpr tenon_keyset kWrites =
    dispatch::functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);

constexpr tenon_key kAutogradMeta =
    dispatch::make_key(TENON_FUNCTIONALITY_AUTOGRAD, dispatch::backend_of(TENON_KEY_META));

class GradMode {
 public:
  explicit GradMode(uint32_t mode) { TENON_EXPECT_OK(tenon_grad_mode_enter(mode, &guard_)); }
  ~GradMode() { TENON_EXPECT_OK(tenon_key_guard_leave(&guard_)); }
  GradMode(const GradMode&) = delete;
  GradMode& operator=(const GradMode&) = delete;

 private:
  tenon_key_guard guard_;
};

class Excluding {
 public:
  explicit Excluding(tenon_keyset keys) { TENON_EXPECT_OK(tenon_key_guard_exclude(keys, &guard_)); }
  ~Excluding() { TENON_EXPECT_OK(tenon_key_guard_leave(&guard_)); }
  Excluding(const Excluding&) = delete;
  Excluding& operator=(const Excluding&) = delete;

 private:
  tenon_key_guard guard_;
};

tenon_kernel for_tracked(tenon_kernel kernel) {
  kernel.flags |= TENON_KERNEL_WHEN_TRACKED;
  return kernel;
}

// Ways to call an operator of two tensors.
enum class Route { kCallFast, kCall, kBegin2, kBeginN, kBeginBoxed };
constexpr Route kRoutes[] = {Route::kCallFast, Route::kCall, Route::kBegin2, Route::kBeginN,
                             Route::kBeginBoxed};

class GradModes : public DispatchTest {
 protected:
  // Makes a call in one way; returns the kernels that ran, such as "autograd@AutogradCPU cpu".
  std::string call_by(Route route, const tenon_op* op, const TestTensor& a, const TestTensor& b) {
    Call one({tensor_value(a), tensor_value(b)}, 0);
    if (route == Route::kCallFast) {
      TENON_EXPECT_OK(tenon_op_call_fast(op, one.stack()));
    } else if (route == Route::kCall) {
      TENON_EXPECT_OK(tenon_op_call(op, one.stack()));
    } else {
      tenon_tensor* const tensors[] = {a.get(), b.get()};
      tenon_frame frame;
      const tenon_entry* entry =
          route == Route::kBegin2   ? tenon_frame_begin2(op, a.get(), b.get(), &frame)
          : route == Route::kBeginN ? tenon_frame_begin_n(op, tensors, 2, &frame)
                                    : tenon_frame_begin_boxed(op, one.stack()->args, 2, &frame);
      EXPECT_NE(entry, nullptr) << take_error();
      if (entry != nullptr) {
        TENON_EXPECT_OK(tenon_frame_end(&frame, tenon_frame_call(&frame, one.stack())));
      }
    }
    return take_notes();
  }
  // Makes the call in all ways and checks that they agree.
  std::string call_all(const tenon_op* op, const TestTensor& a, const TestTensor& b) {
    const std::string first = call_by(Route::kCallFast, op, a, b);
    for (const Route route : kRoutes) {
      EXPECT_EQ(call_by(route, op, a, b), first) << static_cast<int>(route);
    }
    return first;
  }

  TestLibrary library_;
  const TestTensor plain_;
  const TestTensor tracked_{TENON_KEY_CPU, TENON_KEY_AD_INPLACE_OR_VIEW, TENON_KEY_AUTOGRAD_CPU};
};

TEST_F(GradModes, Begins_On) {
  EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_ON);
  std::thread([] { EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_ON); }).join();
}

TEST_F(GradModes, Guards_NestAndRestore) {
  {
    const GradMode off(TENON_GRAD_MODE_OFF);
    EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_OFF);
    {
      const GradMode on(TENON_GRAD_MODE_ON);
      EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_ON);
      TENON_EXPECT_OK(tenon_grad_mode_set(TENON_GRAD_MODE_OFF));
    }
    EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_OFF);
  }
  EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_ON);
}

TEST_F(GradModes, Set_LastsUntilAGuardAroundItIsLeft) {
  {
    const Excluding guard(kAutograd);
    TENON_EXPECT_OK(tenon_grad_mode_set(TENON_GRAD_MODE_OFF));
    EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_OFF);
  }
  EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_ON);
}

TEST_F(GradModes, Refused) {
  tenon_key_guard guard;
  TENON_EXPECT_ERROR(tenon_grad_mode_enter(5, &guard), TENON_ERROR_INVALID_ARGUMENT,
                     "tenon_grad_mode_enter: mode must be a TENON_GRAD_MODE_* number, got 5");
  TENON_EXPECT_ERROR(tenon_grad_mode_set(5), TENON_ERROR_INVALID_ARGUMENT,
                     "tenon_grad_mode_set: mode must be a TENON_GRAD_MODE_* number, got 5");
  TENON_EXPECT_ERROR(tenon_grad_mode_set(TENON_GRAD_MODE_INFERENCE), TENON_ERROR_STATE,
                     "INFERENCE must be entered or left with a guard, got a call in mode ON");
  const GradMode inference(TENON_GRAD_MODE_INFERENCE);
  TENON_EXPECT_ERROR(tenon_grad_mode_set(TENON_GRAD_MODE_NORMAL), TENON_ERROR_STATE,
                     "NORMAL must be entered or left with a guard, got a call in mode INFERENCE");
  EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_INFERENCE);
}

TEST_F(GradModes, OffAndOnInsideInference_StayInferenceAndRecordNothing) {
  const tenon_op* op = library_.define("f(Tensor a, Tensor b) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("f", TENON_KEY_AUTOGRAD, for_tracked(going_on("formula")));
  const GradMode inference(TENON_GRAD_MODE_INFERENCE);
  {
    const GradMode on(TENON_GRAD_MODE_ON);
    EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_INFERENCE_ON);
    EXPECT_TRUE(base::makes_inference_tensors());
    EXPECT_EQ(tenon_keyset_included() & kWrites, 0u);
    EXPECT_EQ(call_all(op, tracked_, plain_), "cpu");
    const GradMode off(TENON_GRAD_MODE_OFF);
    EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_INFERENCE);
  }
  TENON_EXPECT_OK(tenon_grad_mode_set(TENON_GRAD_MODE_ON));
  EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_INFERENCE_ON);
  TENON_EXPECT_OK(tenon_grad_mode_set(TENON_GRAD_MODE_INFERENCE));
  EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_INFERENCE);
}

TEST_F(GradModes, NormalInsideInference_EndsItUntilTheGuardIsLeft) {
  const tenon_op* op = library_.define("f(Tensor a, Tensor b) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("f", TENON_KEY_AUTOGRAD, for_tracked(going_on("formula")));
  const GradMode inference(TENON_GRAD_MODE_INFERENCE);
  {
    const GradMode normal(TENON_GRAD_MODE_NORMAL);
    EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_ON);
    EXPECT_FALSE(base::makes_inference_tensors());
    EXPECT_EQ(tenon_keyset_included() & kWrites, kWrites);
    EXPECT_EQ(call_all(op, tracked_, plain_), "formula@AutogradCPU cpu");
  }
  EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_INFERENCE);
  EXPECT_EQ(tenon_keyset_included() & kWrites, 0u);
}

TEST_F(GradModes, Inference_TakesAway_ADInplaceOrView_FromTheIncludedKeys) {
  EXPECT_FALSE(base::makes_inference_tensors());
  {
    const GradMode inference(TENON_GRAD_MODE_INFERENCE);
    EXPECT_EQ(tenon_keyset_included() & kWrites, 0u);
    EXPECT_TRUE(base::makes_inference_tensors());
  }
  EXPECT_EQ(tenon_keyset_included() & kWrites, kWrites);
  EXPECT_FALSE(base::makes_inference_tensors());
}

TEST_F(GradModes, Inference_PlainTensorsStillCountWrites_InferenceTensorsDoNot) {
  const tenon_op* op = library_.define("write(Tensor(a!) self, Tensor other) -> ()");
  library_.impl("write", TENON_KEY_CPU, logging_kernel("cpu"));
  const TestTensor inference{TENON_KEY_CPU};
  const GradMode mode(TENON_GRAD_MODE_INFERENCE);
  TENON_EXPECT_OK(call(op, {tensor_value(plain_), tensor_value(plain_)}));
  EXPECT_EQ(tenon_tensor_version(plain_.get()), 1);
  TENON_EXPECT_OK(call(op, {tensor_value(inference), tensor_value(inference)}));
  EXPECT_EQ(tenon_tensor_version(inference.get()), 0);
}

TEST_F(GradModes, KernelForTracked_RunsForTrackedTensorsOnly) {
  const tenon_op* op = library_.define("f(Tensor a, Tensor b) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("f", TENON_KEY_AUTOGRAD, for_tracked(going_on("autograd")));
  EXPECT_EQ(call_all(op, plain_, plain_), "cpu");
  EXPECT_EQ(call_all(op, tracked_, plain_), "autograd@AutogradCPU cpu");
  EXPECT_EQ(call_all(op, plain_, tracked_), "autograd@AutogradCPU cpu");
}

TEST_F(GradModes, KernelForTracked_OfAWriter_RunsForTrackedTensorsOnly) {
  const tenon_op* op = library_.define("f(Tensor(a!) a, Tensor b) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("f", TENON_KEY_AUTOGRAD_CPU, for_tracked(going_on("autograd")));
  EXPECT_EQ(call_all(op, plain_, plain_), "cpu");
  EXPECT_EQ(call_all(op, tracked_, plain_), "autograd@AutogradCPU cpu");
  EXPECT_EQ(tenon_tensor_version(tracked_.get()), 6);  // once per call
}

TEST_F(GradModes, Off_TakesTrackedTensorsPastAutograd) {
  const tenon_op* op = library_.define("f(Tensor a, Tensor b) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("f", TENON_KEY_AUTOGRAD, for_tracked(going_on("autograd")));
  for (const uint32_t mode : {TENON_GRAD_MODE_OFF, TENON_GRAD_MODE_INFERENCE}) {
    const GradMode guard(mode);
    EXPECT_EQ(call_all(op, tracked_, tracked_), "cpu");
  }
  EXPECT_EQ(call_all(op, tracked_, tracked_), "autograd@AutogradCPU cpu");
}

TEST_F(GradModes, OnInsideOff_RecordsAgain) {
  const tenon_op* op = library_.define("f(Tensor a, Tensor b) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("f", TENON_KEY_AUTOGRAD, for_tracked(going_on("autograd")));
  const GradMode off(TENON_GRAD_MODE_OFF);
  const GradMode on(TENON_GRAD_MODE_ON);
  EXPECT_EQ(call_all(op, tracked_, tracked_), "autograd@AutogradCPU cpu");
}

TEST_F(GradModes, OnBelowAutograd_DoesNotRecord) {
  const tenon_op* op = library_.define("f(Tensor a, Tensor b) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("f", TENON_KEY_AUTOGRAD, for_tracked(going_on("autograd")));
  const Excluding below(kAutograd);
  const GradMode off(TENON_GRAD_MODE_OFF);
  const GradMode on(TENON_GRAD_MODE_ON);
  EXPECT_EQ(call_all(op, tracked_, tracked_), "cpu");
}

TEST_F(GradModes, OwnAutogradKernel_RunsInEveryMode) {
  const tenon_op* op = library_.define("f(Tensor a, Tensor b) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("f", TENON_KEY_AUTOGRAD, going_on("own"));
  for (const uint32_t mode : {TENON_GRAD_MODE_OFF, TENON_GRAD_MODE_ON, TENON_GRAD_MODE_INFERENCE}) {
    const GradMode guard(mode);
    EXPECT_EQ(call_all(op, plain_, plain_), "own@AutogradCPU cpu");
    EXPECT_EQ(call_all(op, tracked_, plain_), "own@AutogradCPU cpu");
  }
}

TEST_F(GradModes, OwnAutogradKernel_GuardThatExcludesAutogradWins) {
  const tenon_op* op = library_.define("f(Tensor a, Tensor b) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("f", TENON_KEY_AUTOGRAD, going_on("own"));
  for (const uint32_t mode : {TENON_GRAD_MODE_OFF, TENON_GRAD_MODE_ON}) {
    const GradMode outer(mode);
    const Excluding below(kAutograd);
    EXPECT_EQ(call_all(op, tracked_, plain_), "cpu");
    const GradMode inner(mode);
    EXPECT_EQ(call_all(op, tracked_, plain_), "cpu");
  }
}

TEST_F(GradModes, OwnAutogradKernel_OfAWriterAndOfAnotherBackend_RunsInEveryMode) {
  const tenon_op* op = library_.define("f(Tensor(a!) a, Tensor b) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("f", TENON_KEY_META, logging_kernel("meta"));
  library_.impl("f", kAutogradMeta, going_on("own"));
  const TestTensor meta{TENON_KEY_META, TENON_KEY_AD_INPLACE_OR_VIEW};
  for (const uint32_t mode : {TENON_GRAD_MODE_OFF, TENON_GRAD_MODE_ON}) {
    const GradMode guard(mode);
    EXPECT_EQ(call_all(op, plain_, plain_), "cpu");
    EXPECT_EQ(call_all(op, meta, meta), "own@AutogradMeta meta");
  }
}

TEST_F(GradModes, OwnAutogradKernelOnly_IsFoundInEveryMode) {
  const tenon_op* op = library_.define("f(Tensor a, Tensor b) -> ()");
  library_.impl("f", TENON_KEY_AUTOGRAD, logging_kernel("own"));
  const GradMode off(TENON_GRAD_MODE_OFF);
  EXPECT_EQ(call_all(op, plain_, plain_), "own");
}

// Without tensors the key set is empty once Autograd is removed; it must not be mistaken for the
// usual set.
TEST_F(GradModes, OwnAutogradKernel_WithoutTensors_RunsInEveryMode) {
  const tenon_op* op = library_.define("f(int n) -> ()");
  library_.impl("f", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, logging_kernel("composite"));
  library_.impl("f", TENON_KEY_AUTOGRAD_CPU, logging_kernel("own"));
  for (const uint32_t mode : {TENON_GRAD_MODE_ON, TENON_GRAD_MODE_OFF}) {
    const GradMode guard(mode);
    TENON_EXPECT_OK(call(op, {int_value(1)}));
    EXPECT_EQ(take_notes(), "own");
    tenon_frame frame;
    const tenon_entry* entry = tenon_frame_begin_factory(op, nullptr, &frame);
    ASSERT_NE(entry, nullptr) << take_error();
    Call one({int_value(1)}, 0);
    TENON_EXPECT_OK(tenon_frame_end(&frame, tenon_frame_call(&frame, one.stack())));
    EXPECT_EQ(take_notes(), "own");
  }
}

TEST_F(GradModes, ComputeKeys_SaysWhatACallHas) {
  const tenon_op* own = library_.define("own(Tensor a) -> ()");
  library_.impl("own", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("own", TENON_KEY_AUTOGRAD, going_on("own"));
  const tenon_op* formula = library_.define("formula(Tensor a) -> ()");
  library_.impl("formula", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("formula", TENON_KEY_AUTOGRAD, for_tracked(going_on("formula")));
  const tenon_value arg = tensor_value(tracked_);
  const auto has_autograd = [&](const tenon_op* op) {
    tenon_keyset set = 0;
    TENON_EXPECT_OK(tenon_op_compute_keys(op, &arg, 1, &set));
    return (set & kAutograd) != 0;
  };
  EXPECT_TRUE(has_autograd(own));
  EXPECT_TRUE(has_autograd(formula));
  const GradMode off(TENON_GRAD_MODE_OFF);
  EXPECT_TRUE(has_autograd(own));
  EXPECT_FALSE(has_autograd(formula));
}

TEST_F(GradModes, ThreadState_CarriesTheMode) {
  tenon_thread_state* state = nullptr;
  {
    const GradMode inference(TENON_GRAD_MODE_INFERENCE);
    TENON_ASSERT_OK(tenon_thread_state_capture(&state));
  }
  std::thread([state] {
    tenon_thread_state* previous = nullptr;
    TENON_ASSERT_OK(tenon_thread_state_enter(state, &previous));
    EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_INFERENCE);
    EXPECT_EQ(tenon_keyset_included() & kWrites, 0u);
    TENON_EXPECT_OK(tenon_thread_state_leave(previous));
    EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_ON);
  }).join();
  tenon_thread_state_release(state);
}

TEST_F(GradModes, Profile_SeesTheSameKernels) {
  const tenon_op* op = library_.define("f(Tensor a, Tensor b) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("f", TENON_KEY_AUTOGRAD, going_on("own"));
  const auto ignore = [](void*, const tenon_profile_event*) {};
  tenon_profile_set_listener(ignore, nullptr, nullptr);
  const GradMode off(TENON_GRAD_MODE_OFF);
  EXPECT_EQ(call_all(op, tracked_, plain_), "own@AutogradCPU cpu");
  tenon_profile_set_listener(nullptr, nullptr, nullptr);
}

TEST_F(GradModes, FlagForTracked_IsForAutogradOnly) {
  library_.define("f(Tensor a) -> ()");
  const tenon_kernel kernel = for_tracked(logging_kernel("cpu"));
  TENON_EXPECT_ERROR(tenon_library_impl(library_.get(), "f", TENON_KEY_CPU, &kernel, nullptr),
                     TENON_ERROR_INVALID_ARGUMENT,
                     "t::f: kernel with TENON_KERNEL_WHEN_TRACKED must be on Autograd, got CPU");
}

}  // namespace
}  // namespace tenon::test
