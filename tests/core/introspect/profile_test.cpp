// SPDX-License-Identifier: Apache-2.0
// Recorded profiles: nesting, ends, redispatch, failures, frames, threads, and nested profiles.
#include <functional>
#include <thread>

#include "support.h"

namespace tenon::test {
namespace {

class Profile {
 public:
  Profile() { EXPECT_EQ(tenon_profile_begin(0, &handle_), TENON_OK) << take_error(); }
  ~Profile() { tenon_profile_release(handle_); }
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  tenon_profile* get() const { return handle_; }
  tenon_status end() { return tenon_profile_end(handle_); }
  std::vector<tenon_profile_span> spans() const {
    int64_t count = 0;
    int64_t dropped = 0;
    EXPECT_EQ(tenon_profile_span_count(handle_, &count, &dropped), TENON_OK) << take_error();
    std::vector<tenon_profile_span> spans(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      tenon_profile_span& span = spans[static_cast<size_t>(i)];
      span.struct_size = sizeof span;
      EXPECT_EQ(tenon_profile_get_span(handle_, i, &span), TENON_OK) << take_error();
    }
    return spans;
  }

 private:
  tenon_profile* handle_ = nullptr;
};

// Returns "outer@AutogradCPU >outer@CPU >>inner@CPU": ">" marks nesting, "*" a redispatch.
std::string shape(const std::vector<tenon_profile_span>& spans) {
  std::string text;
  for (const tenon_profile_span& span : spans) {
    text += (text.empty() ? "" : " ") + std::string(static_cast<size_t>(span.depth), '>') +
            (tenon_op_name(span.op) + 3) + (span.redispatch != 0 ? "*" : "") + "@" +
            tenon_key_name(span.key);
  }
  return text;
}

// Checks that every span is contained in its parent and begins after the spans before it.
void expect_nested(const std::vector<tenon_profile_span>& spans) {
  for (size_t i = 0; i < spans.size(); ++i) {
    EXPECT_GE(spans[i].end_ns, spans[i].begin_ns) << i;
    if (i != 0) {
      EXPECT_GE(spans[i].begin_ns, spans[i - 1].begin_ns) << i;
    }
    EXPECT_EQ(spans[i].depth == 0, spans[i].parent == -1) << i;
    if (spans[i].parent < 0) continue;
    const tenon_profile_span& parent = spans[static_cast<size_t>(spans[i].parent)];
    EXPECT_EQ(spans[i].depth, parent.depth + 1) << i;
    EXPECT_GE(spans[i].begin_ns, parent.begin_ns) << i;
    EXPECT_LE(spans[i].end_ns, parent.end_ns) << i;
  }
}

class ProfileRecord : public DispatchTest {
 protected:
  // A kernel that runs a function.
  using Body = std::function<tenon_status(const tenon_op*, tenon_keyset, tenon_stack*)>;
  static tenon_status run_body(void* ctx, const tenon_op* op, tenon_keyset keys,
                               tenon_stack* stack) {
    return (*static_cast<Body*>(ctx))(op, keys, stack);
  }
  void impl(const char* name, tenon_key key, Body body) {
    bodies_.push_back(std::make_unique<Body>(std::move(body)));
    library_.impl(name, key, kernel_of(&run_body, bodies_.back().get(), name));
  }
  tenon_status call_plain(const tenon_op* op) { return call(op, {tensor_value(cpu_)}); }

  TestLibrary library_;
  TestTensor cpu_;
  std::vector<std::unique_ptr<Body>> bodies_;
};

TEST_F(ProfileRecord, Item227_CallsNestWithTimes) {
  const tenon_op* outer = library_.define("outer(Tensor x) -> ()");
  const tenon_op* inner = library_.define("inner(Tensor x) -> ()");
  library_.impl("inner", TENON_KEY_CPU, logging_kernel("inner_cpu"));
  library_.impl("outer", TENON_KEY_AUTOGRAD, going_on("outer_autograd"));
  impl("outer", TENON_KEY_CPU, [&](const tenon_op*, tenon_keyset, tenon_stack*) {
    call_plain(inner);
    return call_plain(inner);
  });
  Profile profile;
  TENON_EXPECT_OK(call_plain(outer));
  TENON_EXPECT_OK(call_plain(inner));
  TENON_EXPECT_OK(profile.end());
  TENON_EXPECT_OK(call_plain(inner));  // after the end: not recorded
  const auto spans = profile.spans();
  EXPECT_EQ(shape(spans), "outer@AutogradCPU >outer*@CPU >>inner@CPU >>inner@CPU inner@CPU");
  expect_nested(spans);
  EXPECT_EQ(spans[2].parent, 1);
  EXPECT_GE(spans[3].begin_ns, spans[2].end_ns);
  EXPECT_STREQ(spans[2].kernel, "inner_cpu");
  EXPECT_STREQ(spans[2].file, "kernels.cpp");
  EXPECT_EQ(spans[2].line, 7);
  EXPECT_EQ(spans[2].language, uint32_t{TENON_LANGUAGE_CPP});
  EXPECT_NE(spans[0].keys & keys({TENON_KEY_CPU}), 0u);
  take_notes();
}

TEST_F(ProfileRecord, FailuresEndTheirSpans) {
  const tenon_op* outer = library_.define("outer(Tensor x) -> ()");
  const tenon_op* inner = library_.define("inner(Tensor x) -> ()");
  impl("inner", TENON_KEY_CPU, [](const tenon_op*, tenon_keyset, tenon_stack*) {
    return tenon_error_raise(TENON_ERROR_INDEX, "out of range");
  });
  impl("outer", TENON_KEY_CPU, [&](const tenon_op*, tenon_keyset, tenon_stack*) {
    EXPECT_EQ(call_plain(inner), TENON_ERROR_INDEX);
    tenon_error_release(tenon_error_take());
    return call_plain(inner);
  });
  Profile profile;
  TENON_EXPECT_ERROR(call_plain(outer), TENON_ERROR_INDEX, "out of range");
  TENON_EXPECT_OK(profile.end());
  const auto spans = profile.spans();
  EXPECT_EQ(shape(spans), "outer@CPU >inner@CPU >inner@CPU");
  expect_nested(spans);
  for (const tenon_profile_span& span : spans) EXPECT_EQ(span.status, TENON_ERROR_INDEX);
}

// A frame is left by a plain store, which the profiler cannot observe: the span ends with the
// kernel's return.
TEST_F(ProfileRecord, FramesEndWithTheirKernel) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("k"));
  Profile profile;
  for (int round = 0; round < 2; ++round) {
    tenon_frame frame;
    const tenon_entry* entry = round == 0
                                   ? tenon_frame_begin1(op, cpu_.get(), &frame)
                                   : tenon_frame_begin_keys(op, keys({TENON_KEY_CPU}), &frame);
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->typed, nullptr);
    EXPECT_EQ(entry->signature, 0u);
    EXPECT_EQ(entry->ctx, frame.ctx);
    Call one({tensor_value(cpu_)}, 0);
    TENON_EXPECT_OK(tenon_frame_call(&frame, one.stack()));
    EXPECT_NE(profile.spans().back().end_ns, -1);
    *frame.leave_word = frame.leave_value;
  }
  Call one({tensor_value(cpu_)}, 0);
  tenon_frame frame;
  const tenon_entry* entry = tenon_frame_begin_boxed(op, one.stack()->args, 1, &frame);
  ASSERT_NE(entry, nullptr);
  TENON_EXPECT_OK(tenon_frame_call(&frame, one.stack()));
  TENON_EXPECT_OK(tenon_frame_end(&frame, TENON_OK));
  EXPECT_EQ(take_notes(), "k k k");
  TENON_EXPECT_OK(profile.end());
  EXPECT_EQ(shape(profile.spans()), "f@CPU f*@CPU f@CPU");
  expect_nested(profile.spans());
  Call plain({tensor_value(cpu_)}, 0);
  entry = tenon_frame_begin_boxed(op, plain.stack()->args, 1, &frame);
  EXPECT_EQ(entry->boxed, &note_call) << "kernels are their own again";
  TENON_EXPECT_OK(tenon_frame_end(&frame, TENON_OK));
}

// A binding may find that it cannot use a kernel directly, leave, and call in another way.
TEST_F(ProfileRecord, FramesLeftWithoutCalling_AreNoDispatches) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("k"));
  Profile profile;
  tenon_frame frame;
  ASSERT_NE(tenon_frame_begin1(op, cpu_.get(), &frame), nullptr);
  *frame.leave_word = frame.leave_value;
  TENON_EXPECT_OK(call_plain(op));
  TENON_EXPECT_OK(profile.end());
  const auto spans = profile.spans();
  EXPECT_EQ(shape(spans), "f@CPU");
  expect_nested(spans);
  take_notes();
}

TEST_F(ProfileRecord, ProfilesNest_AndEndInAnyOrder) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("k"));
  Profile first;
  TENON_EXPECT_OK(call_plain(op));
  Profile second;
  TENON_EXPECT_OK(call_plain(op));
  TENON_EXPECT_OK(first.end());
  TENON_EXPECT_OK(call_plain(op));
  TENON_EXPECT_OK(second.end());
  EXPECT_EQ(first.spans().size(), 2u);
  EXPECT_EQ(second.spans().size(), 2u);
  expect_nested(first.spans());
  expect_nested(second.spans());
  take_notes();
}

TEST_F(ProfileRecord, BeginsAndEndsInsideKernels) {
  const tenon_op* outer = library_.define("outer(Tensor x) -> ()");
  const tenon_op* inner = library_.define("inner(Tensor x) -> ()");
  std::unique_ptr<Profile> inside;
  Profile around;
  impl("inner", TENON_KEY_CPU, [&](const tenon_op*, tenon_keyset, tenon_stack*) {
    if (around.end() != TENON_OK) take_error();
    return TENON_OK;
  });
  impl("outer", TENON_KEY_CPU, [&](const tenon_op*, tenon_keyset, tenon_stack*) {
    inside = std::make_unique<Profile>();
    return call_plain(inner);
  });
  TENON_EXPECT_OK(call_plain(outer));
  TENON_EXPECT_OK(inside->end());
  const auto spans = inside->spans();
  EXPECT_EQ(shape(spans), "inner@CPU") << "what ran before it began is not in it";
  expect_nested(spans);
  const auto running = around.spans();
  EXPECT_EQ(shape(running), "outer@CPU >inner@CPU");
  EXPECT_EQ(running[0].end_ns, -1);
  EXPECT_EQ(running[1].end_ns, -1);
}

TEST_F(ProfileRecord, EachThreadRecordsItsOwn) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("k"));
  Profile profile;
  std::unique_ptr<Profile> other;
  std::thread([&] {
    other = std::make_unique<Profile>();
    TENON_EXPECT_OK(call_plain(op));
    TENON_EXPECT_OK(call_plain(op));
    TENON_EXPECT_ERROR(profile.end(), TENON_ERROR_STATE, "on the thread that began it");
    int64_t count = 0;
    int64_t dropped = 0;
    TENON_EXPECT_ERROR(tenon_profile_span_count(profile.get(), &count, &dropped), TENON_ERROR_STATE,
                       "one that is still rec");
    take_notes();
  }).join();  // the thread exits with its profile on, which ends the profile
  TENON_EXPECT_OK(call_plain(op));
  TENON_EXPECT_OK(profile.end());
  TENON_EXPECT_ERROR(profile.end(), TENON_ERROR_STATE, "one that has ended");
  TENON_EXPECT_ERROR(other->end(), TENON_ERROR_STATE, "one that has ended");
  EXPECT_EQ(profile.spans().size(), 1u);
  EXPECT_EQ(other->spans().size(), 2u);
  take_notes();
}

TEST_F(ProfileRecord, ATracerBesideIt_BothAreTold) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("k"));
  int told = 0;
  Profile profile;
  TENON_ASSERT_OK(tenon_profile_set_listener(
      [](void* ctx, const tenon_profile_event*) { ++*static_cast<int*>(ctx); }, &told, nullptr));
  TENON_EXPECT_OK(call_plain(op));
  TENON_EXPECT_OK(profile.end());
  TENON_EXPECT_OK(call_plain(op));
  TENON_ASSERT_OK(tenon_profile_set_listener(nullptr, nullptr, nullptr));
  EXPECT_EQ(told, 2);
  EXPECT_EQ(profile.spans().size(), 1u);
  take_notes();
}

TEST_F(ProfileRecord, CallKey_IsRecorded) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_TRACER, logging_kernel("k"));
  Profile profile;
  Call one({tensor_value(cpu_)}, 0);
  TENON_EXPECT_OK(tenon_op_call_key(op, TENON_KEY_TRACER, one.stack()));
  TENON_EXPECT_OK(profile.end());
  EXPECT_EQ(shape(profile.spans()), "f@Tracer");
  expect_nested(profile.spans());
  take_notes();
}

TEST_F(ProfileRecord, ReleasedWhileItRecords_LivesUntilTheEnd) {
  const int64_t before = tenon_introspect_live_count(TENON_HANDLE_PROFILE);
  std::thread([&] {
    Profile forgotten;
    EXPECT_EQ(tenon_introspect_live_count(TENON_HANDLE_PROFILE), before + 1);
  }).join();
  EXPECT_EQ(tenon_introspect_live_count(TENON_HANDLE_PROFILE), before);
}

}  // namespace
}  // namespace tenon::test
