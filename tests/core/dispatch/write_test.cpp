// SPDX-License-Identifier: Apache-2.0
// Calls of operators that write an argument: versions, what the kernel sees, and which kernel
// serves typed calls, in every way to call.
#include "dispatch/operator_entry.h"
#include "support.h"

namespace tenon::test {
namespace {

constexpr uint64_t kPairSignature = 0x6cbb2419e1e17951u;  // "TT>"

constexpr tenon_keyset kWrites =
    dispatch::functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);

class Writes : public DispatchTest {
 protected:
  // Returns how much a step raises the version of self_.
  template <class Step>
  int64_t bumps(Step&& step) {
    const int64_t before = tenon_tensor_version(self_.get());
    step();
    return tenon_tensor_version(self_.get()) - before;
  }
  std::vector<tenon_value> pair() { return {tensor_value(self_), tensor_value(other_)}; }

  TestLibrary library_;
  TestTensor self_;
  TestTensor other_;
};

// Keys and arguments of a kernel's last run.
struct CallRecord {
  int calls = 0;
  tenon_keyset keys = 0;
  tenon_keyset excluded = 0;
  int64_t version = 0;
  tenon_status answer = TENON_OK;
};

tenon_status look(void* ctx, const tenon_op*, tenon_keyset keys, tenon_stack* stack) {
  auto* seen = static_cast<CallRecord*>(ctx);
  ++seen->calls;
  seen->keys = keys;
  seen->excluded = tenon_keyset_excluded();
  seen->version = tenon_tensor_version(stack->args[0].as.tensor);
  return seen->answer == TENON_OK ? TENON_OK : tenon_error_raise(seen->answer, "as asked");
}

tenon_kernel looking(CallRecord* seen, uint32_t flags = 0) {
  tenon_kernel kernel = kernel_of(&look, seen, "look");
  kernel.flags = flags;
  return kernel;
}

tenon_status look_typed(const tenon_frame* frame, tenon_tensor* self, tenon_tensor*) {
  auto* seen = static_cast<CallRecord*>(frame->ctx);
  ++seen->calls;
  seen->keys = frame->keys;
  seen->version = tenon_tensor_version(self);
  return TENON_OK;
}

tenon_kernel looking_typed(CallRecord* seen, uint32_t flags) {
  tenon_kernel kernel = looking(seen, flags);
  kernel.typed = reinterpret_cast<tenon_typed_fn>(&look_typed);
  kernel.signature = kPairSignature;
  return kernel;
}

void leave(tenon_frame& frame) { tenon_frame_leave(&frame); }

TEST_F(Writes, BoxedCall_BumpsBeforeTheKernelWhichSeesTheKeyExcluded) {
  const tenon_op* op = library_.define("write(Tensor(a!) self, Tensor other) -> Tensor(a!)");
  CallRecord seen;
  library_.impl("write", TENON_KEY_CPU, looking(&seen));
  EXPECT_EQ(bumps([&] { TENON_EXPECT_OK(call(op, pair(), 1)); }), 1);
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(seen.version, tenon_tensor_version(self_.get()));
  EXPECT_EQ(print(seen.keys), "{CPU}");
  EXPECT_EQ(seen.excluded & kWrites, kWrites);
  EXPECT_EQ(tenon_keyset_excluded() & kWrites, 0u);
  EXPECT_EQ(tenon_tensor_version(other_.get()), 0);
}

TEST_F(Writes, KernelThatFails_HasBumpedAndItsKeysAreBack) {
  const tenon_op* op = library_.define("write(Tensor(a!) self, Tensor other) -> Tensor(a!)");
  CallRecord seen;
  seen.answer = TENON_ERROR_INDEX;
  library_.impl("write", TENON_KEY_CPU, looking(&seen));
  EXPECT_EQ(bumps([&] { TENON_EXPECT_ERROR(call(op, pair(), 1), TENON_ERROR_INDEX, "as asked"); }),
            1);
  EXPECT_EQ(tenon_keyset_excluded() & kWrites, 0u);
}

TEST_F(Writes, OutArguments_AreBumpedBehindOthers) {
  const tenon_op* op = library_.define(
      "two(Tensor a, int n, Tensor? b, *, Tensor(x!) out, Tensor(y!)? more=None) -> Tensor(x!)");
  library_.impl("two", TENON_KEY_CPU, logging_kernel("two"));
  EXPECT_EQ(bumps([&] {
              TENON_EXPECT_OK(call(op,
                                   {tensor_value(other_), int_value(3), tenon_value{},
                                    tensor_value(self_), tenon_value{}},
                                   1));
            }),
            1);
  EXPECT_EQ(bumps([&] {
              TENON_EXPECT_OK(call(op,
                                   {tensor_value(other_), int_value(3), tenon_value{},
                                    tensor_value(self_), tensor_value(self_)},
                                   1));
            }),
            2);
  EXPECT_EQ(tenon_tensor_version(other_.get()), 0);
}

TEST_F(Writes, View_BumpsTheVersionItShares) {
  const tenon_op* op = library_.define("write(Tensor(a!) self) -> ()");
  library_.impl("write", TENON_KEY_CPU, logging_kernel("write"));
  const int64_t sizes[1] = {1};
  const int64_t strides[1] = {1};
  tenon_tensor* view = nullptr;
  TENON_ASSERT_OK(tenon_tensor_new_alias(self_.get(), 1, sizes, strides, 0, &view));
  tenon_value value{};
  value.tag = TENON_TAG_TENSOR;
  value.as.tensor = view;
  EXPECT_EQ(bumps([&] { TENON_EXPECT_OK(call(op, {value})); }), 1);
  EXPECT_EQ(tenon_tensor_version(view), tenon_tensor_version(self_.get()));
  tenon_tensor_release(view);
}

TEST_F(Writes, GuardThatExcludesTheKey_NothingIsBumped) {
  const tenon_op* op = library_.define("write(Tensor(a!) self, Tensor other) -> Tensor(a!)");
  CallRecord seen;
  library_.impl("write", TENON_KEY_CPU, looking_typed(&seen, TENON_KERNEL_LEAF));
  tenon_key_guard guard;
  TENON_EXPECT_OK(tenon_key_guard_exclude(kWrites, &guard));
  EXPECT_EQ(bumps([&] {
              TENON_EXPECT_OK(call(op, pair(), 1));
              tenon_frame frame;
              ASSERT_NE(tenon_frame_begin2(op, self_.get(), other_.get(), &frame), nullptr);
              leave(frame);
              const std::vector<tenon_value> args = pair();
              ASSERT_NE(tenon_frame_begin_boxed(op, args.data(), 2, &frame), nullptr);
              leave(frame);
            }),
            0);
  tenon_key_guard_leave(&guard);
  EXPECT_EQ(seen.calls, 1);
}

TEST_F(Writes, LeafKernel_IsBegunTypedWithItsTensorsBumped) {
  const tenon_op* op = library_.define("write(Tensor(a!) self, Tensor other) -> Tensor(a!)");
  CallRecord seen;
  library_.impl("write", TENON_KEY_CPU, looking_typed(&seen, TENON_KERNEL_LEAF));
  EXPECT_EQ(bumps([&] {
              tenon_frame frame;
              const tenon_entry* entry = tenon_frame_begin2(op, self_.get(), other_.get(), &frame);
              ASSERT_NE(entry, nullptr) << take_error();
              ASSERT_EQ(entry->signature, kPairSignature);
              const auto typed = reinterpret_cast<decltype(&look_typed)>(entry->typed);
              EXPECT_EQ(typed(&frame, self_.get(), other_.get()), TENON_OK);
              leave(frame);
            }),
            1);
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(seen.version, tenon_tensor_version(self_.get()));
  EXPECT_EQ(print(seen.keys), "{CPU}");
  EXPECT_EQ(tenon_keyset_excluded() & kWrites, 0u);
  EXPECT_EQ(tenon_tensor_version(other_.get()), 0);
}

TEST_F(Writes, LeafKernel_OfNthTensorAndByAllBegins) {
  const tenon_op* one = library_.define("one(Tensor(a!) self) -> ()");
  const tenon_op* three =
      library_.define("three(Tensor a, int n, Tensor? b, Tensor(c!) out) -> ()");
  const tenon_op* four =
      library_.define("four(Tensor a, Tensor b, Tensor c, Tensor(d!) out) -> ()");
  for (const char* name : {"one", "three", "four"}) {
    tenon_kernel kernel = logging_kernel(name);
    kernel.flags = TENON_KERNEL_LEAF;
    library_.impl(name, TENON_KEY_CPU, kernel);
  }
  const auto begin_and_leave = [](const tenon_entry* entry, tenon_frame& frame) {
    ASSERT_NE(entry, nullptr) << take_error();
    EXPECT_EQ(entry->boxed, &note_call);
    leave(frame);
  };
  tenon_tensor* const all[4] = {other_.get(), other_.get(), other_.get(), self_.get()};
  tenon_frame frame;
  EXPECT_EQ(bumps([&] { begin_and_leave(tenon_frame_begin1(one, self_.get(), &frame), frame); }),
            1);
  EXPECT_EQ(bumps([&] {
              begin_and_leave(
                  tenon_frame_begin3(three, other_.get(), other_.get(), self_.get(), &frame),
                  frame);
            }),
            1);
  EXPECT_EQ(bumps([&] {
              begin_and_leave(tenon_frame_begin3(three, other_.get(), nullptr, self_.get(), &frame),
                              frame);
            }),
            1);
  EXPECT_EQ(bumps([&] { begin_and_leave(tenon_frame_begin_n(four, all, 4, &frame), frame); }), 1);
  EXPECT_EQ(tenon_tensor_version(other_.get()), 0);
}

TEST_F(Writes, KernelThatMayCallOperators_IsBegunThroughTheFallback) {
  const tenon_op* op = library_.define("write(Tensor(a!) self, Tensor other) -> Tensor(a!)");
  CallRecord seen;
  library_.impl("write", TENON_KEY_CPU, looking_typed(&seen, 0));
  Call one(pair(), 1);
  EXPECT_EQ(bumps([&] {
              tenon_frame frame;
              const tenon_entry* entry = tenon_frame_begin2(op, self_.get(), other_.get(), &frame);
              ASSERT_NE(entry, nullptr) << take_error();
              EXPECT_EQ(entry->typed, nullptr);
              EXPECT_EQ(tenon_frame_end(&frame, tenon_frame_call(&frame, one.stack())), TENON_OK);
            }),
            1);
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(seen.excluded & kWrites, kWrites);
}

TEST_F(Writes, TensorBehindAList_IsBegunThroughTheFallback) {
  const tenon_op* op = library_.define("write(Tensor[] list, Tensor(a!) out) -> ()");
  tenon_kernel kernel = logging_kernel("write");
  kernel.flags = TENON_KERNEL_LEAF;
  library_.impl("write", TENON_KEY_CPU, kernel);
  tenon_tensor* const tensors[3] = {other_.get(), other_.get(), self_.get()};
  const tenon_value list = list_value(TENON_TAG_TENSOR_LIST, tensors, 2);
  Call one({list, tensor_value(self_)}, 0);
  EXPECT_EQ(bumps([&] {
              tenon_frame frame;
              const tenon_entry* entry = tenon_frame_begin_n(op, tensors, 3, &frame);
              ASSERT_NE(entry, nullptr) << take_error();
              EXPECT_NE(entry->boxed, &note_call);
              EXPECT_EQ(tenon_frame_end(&frame, tenon_frame_call(&frame, one.stack())), TENON_OK);
            }),
            1);
  EXPECT_EQ(tenon_tensor_version(other_.get()), 0);
}

TEST_F(Writes, Resolve_GivesALeafKernelItselfAndBumpsOnce) {
  const tenon_op* op = library_.define("write(Tensor(a!) self, Tensor other) -> Tensor(a!)");
  CallRecord seen;
  library_.impl("write", TENON_KEY_CPU, looking(&seen, TENON_KERNEL_LEAF));
  Call one(pair(), 1);
  EXPECT_EQ(bumps([&] {
              tenon_frame frame;
              const tenon_entry* entry = tenon_frame_begin_boxed(op, one.stack()->args, 2, &frame);
              ASSERT_NE(entry, nullptr) << take_error();
              EXPECT_EQ(entry->boxed, &look);
              EXPECT_EQ(tenon_frame_end(&frame, tenon_frame_call(&frame, one.stack())), TENON_OK);
            }),
            1);
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(one.ret().as.tensor, self_.get());
}

TEST_F(Writes, Resolve_GivesTheFallbackForKernelsThatMayCallOperators) {
  const tenon_op* op = library_.define("write(Tensor(a!) self, Tensor other) -> Tensor(a!)");
  CallRecord seen;
  library_.impl("write", TENON_KEY_CPU, looking(&seen));
  Call one(pair(), 1);
  EXPECT_EQ(bumps([&] {
              tenon_frame frame;
              const tenon_entry* entry = tenon_frame_begin_boxed(op, one.stack()->args, 2, &frame);
              ASSERT_NE(entry, nullptr) << take_error();
              EXPECT_NE(entry->boxed, &look);
              EXPECT_EQ(tenon_frame_end(&frame, tenon_frame_call(&frame, one.stack())), TENON_OK);
            }),
            1);
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(seen.excluded & kWrites, kWrites);
}

TEST_F(Writes, KernelOfTheKey_StandsInFrontOfTheFallback) {
  const tenon_op* op = library_.define("write(Tensor(a!) self, Tensor other) -> Tensor(a!)");
  library_.impl("write", TENON_KEY_CPU, logging_kernel("cpu"));
  tenon_registration* own = library_.keep("write", TENON_KEY_AD_INPLACE_OR_VIEW, going_on("own"));
  EXPECT_EQ(bumps([&] { TENON_EXPECT_OK(call(op, pair(), 1)); }), 0);
  EXPECT_EQ(take_notes(), "own@ADInplaceOrView cpu");
  tenon_registration_remove(own);
  EXPECT_EQ(bumps([&] { TENON_EXPECT_OK(call(op, pair(), 1)); }), 1);
  EXPECT_EQ(take_notes(), "cpu");
}

TEST_F(Writes, LayerAbove_RedispatchesToWhatBumps) {
  const tenon_op* op = library_.define("write(Tensor(a!) self, Tensor other) -> Tensor(a!)");
  CallRecord seen;
  library_.impl("write", TENON_KEY_CPU, looking(&seen));
  library_.impl("write", TENON_KEY_AUTOGRAD, going_on("autograd"));
  EXPECT_EQ(bumps([&] { TENON_EXPECT_OK(call(op, pair(), 1)); }), 1);
  EXPECT_EQ(take_notes(), "autograd@AutogradCPU");
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(seen.excluded & kWrites, kWrites);
  seen.answer = TENON_ERROR_INDEX;
  TENON_EXPECT_ERROR(call(op, pair(), 1), TENON_ERROR_INDEX, "as asked");
  EXPECT_EQ(tenon_keyset_excluded() & kWrites, 0u);
}

TEST_F(Writes, NoKernelBelow_IsTheErrorOfTheCall) {
  const tenon_op* op = library_.define("write(Tensor(a!) self, Tensor other) -> Tensor(a!)");
  tenon_frame frame;
  TENON_EXPECT_ERROR(call(op, pair(), 1), TENON_ERROR_NO_KERNEL, "t::write");
  EXPECT_NE(tenon_frame_begin2(op, self_.get(), other_.get(), &frame), nullptr);  // the fallback
  leave(frame);
}

TEST_F(Writes, Profile_ShowsTheFallbackAndTheKernel) {
  const tenon_op* op = library_.define("write(Tensor(a!) self, Tensor other) -> Tensor(a!)");
  library_.impl("write", TENON_KEY_CPU, logging_kernel("cpu"));
  std::string seen;
  tenon_profile_set_listener(
      [](void* text, const tenon_profile_event* event) {
        *static_cast<std::string*>(text) += std::string(event->kernel) + " ";
      },
      &seen, nullptr);
  EXPECT_EQ(bumps([&] { TENON_EXPECT_OK(call(op, pair(), 1)); }), 1);
  tenon_profile_set_listener(nullptr, nullptr, nullptr);
  EXPECT_EQ(seen, "bump_versions cpu ");
}

// The fallback must handle calls that return views, even if they also write.
TEST_F(Writes, WriterThatReturnsAView_GoesThroughTheFallback) {
  const tenon_op* op =
      library_.define("both(Tensor(a!) self, Tensor(b) other) -> (Tensor(a!), Tensor(b))");
  EXPECT_NE(op->snapshot.load()->traits & dispatch::kReturnsViews, 0);
  EXPECT_EQ(op->snapshot.load()->flags & dispatch::kCountsWrites, 0);
  CallRecord seen;
  library_.impl("both", TENON_KEY_CPU, looking(&seen));
  seen.answer = TENON_ERROR_INDEX;
  EXPECT_EQ(bumps([&] { TENON_EXPECT_ERROR(call(op, pair(), 2), TENON_ERROR_INDEX, "as asked"); }),
            1);
  EXPECT_EQ(seen.excluded & kWrites, kWrites);
}

TEST_F(Writes, SecondBackend_IsServedByItsOwnKernel) {
  const tenon_op* op = library_.define("write(Tensor(a!) self, Tensor other) -> Tensor(a!)");
  const tenon_op* read = library_.define("read(Tensor self, Tensor other) -> ()");
  for (const char* name : {"write", "read"}) {
    library_.impl(name, TENON_KEY_CPU, logging_kernel("cpu"));
    library_.impl(name, TENON_KEY_META, logging_kernel("meta"));
    library_.impl(name, TENON_KEY_TRACER, going_on("tracer"));
  }
  const TestTensor meta{TENON_KEY_META, TENON_KEY_AD_INPLACE_OR_VIEW};
  TENON_EXPECT_OK(call(op, {tensor_value(meta), tensor_value(meta)}, 1));
  TENON_EXPECT_OK(call(read, {tensor_value(meta), tensor_value(meta)}));
  EXPECT_EQ(tenon_tensor_version(meta.get()), 1);
  tenon_key_guard guard;
  TENON_EXPECT_OK(tenon_key_guard_include(keys({TENON_KEY_TRACER}), &guard));
  TENON_EXPECT_OK(call(read, pair()));
  tenon_frame frame;
  const tenon_entry* entry = tenon_frame_begin2(read, self_.get(), other_.get(), &frame);
  ASSERT_NE(entry, nullptr) << take_error();
  EXPECT_EQ(entry->boxed, &note_and_go_on);
  leave(frame);
  tenon_key_guard_leave(&guard);
  EXPECT_EQ(take_notes(), "meta meta tracer@Tracer cpu");
}

}  // namespace
}  // namespace tenon::test
