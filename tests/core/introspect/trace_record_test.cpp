// SPDX-License-Identifier: Apache-2.0
// Recorded traces: nesting, ends, redispatch, failures, frames, threads, and traces inside traces.
#include <functional>
#include <thread>

#include "support.h"

namespace tenon::test {
namespace {

class Trace {
 public:
  Trace() { EXPECT_EQ(tenon_trace_begin(&handle_), TENON_OK) << take_error(); }
  ~Trace() { tenon_trace_release(handle_); }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  tenon_trace* get() const { return handle_; }
  tenon_status end() { return tenon_trace_end(handle_); }
  std::vector<tenon_trace_span> spans() const {
    tenon_buffer* buffer = nullptr;
    EXPECT_EQ(tenon_trace_spans(handle_, &buffer), TENON_OK) << take_error();
    if (buffer == nullptr) return {};
    const auto* first = static_cast<const tenon_trace_span*>(tenon_buffer_data(buffer));
    const auto count = static_cast<size_t>(tenon_buffer_size(buffer)) / sizeof(tenon_trace_span);
    std::vector<tenon_trace_span> spans(first, first + count);
    tenon_buffer_release(buffer);
    return spans;
  }

 private:
  tenon_trace* handle_ = nullptr;
};

// "outer@AutogradCPU >outer@CPU >>inner@CPU": nesting by ">", redispatches by "*".
std::string shape(const std::vector<tenon_trace_span>& spans) {
  std::string text;
  for (const tenon_trace_span& span : spans) {
    text += (text.empty() ? "" : " ") + std::string(static_cast<size_t>(span.depth), '>') +
            (tenon_op_name(span.op) + 3) + (span.redispatch != 0 ? "*" : "") + "@" +
            tenon_key_name(span.key);
  }
  return text;
}

// Every span lies inside its parent, and after the spans before it began.
void expect_nested(const std::vector<tenon_trace_span>& spans) {
  for (size_t i = 0; i < spans.size(); ++i) {
    EXPECT_GE(spans[i].end_ns, spans[i].begin_ns) << i;
    if (i != 0) {
      EXPECT_GE(spans[i].begin_ns, spans[i - 1].begin_ns) << i;
    }
    EXPECT_EQ(spans[i].depth == 0, spans[i].parent == -1) << i;
    if (spans[i].parent < 0) continue;
    const tenon_trace_span& parent = spans[static_cast<size_t>(spans[i].parent)];
    EXPECT_EQ(spans[i].depth, parent.depth + 1) << i;
    EXPECT_GE(spans[i].begin_ns, parent.begin_ns) << i;
    EXPECT_LE(spans[i].end_ns, parent.end_ns) << i;
  }
}

class TraceRecord : public DispatchTest {
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

TEST_F(TraceRecord, Item227_CallsNestWithTimes) {
  const tenon_op* outer = library_.define("outer(Tensor x) -> ()");
  const tenon_op* inner = library_.define("inner(Tensor x) -> ()");
  library_.impl("inner", TENON_KEY_CPU, noting("inner_cpu"));
  library_.impl("outer", TENON_KEY_AUTOGRAD, going_on("outer_autograd"));
  impl("outer", TENON_KEY_CPU, [&](const tenon_op*, tenon_keyset, tenon_stack*) {
    call_plain(inner);
    return call_plain(inner);
  });
  Trace trace;
  TENON_EXPECT_OK(call_plain(outer));
  TENON_EXPECT_OK(call_plain(inner));
  TENON_EXPECT_OK(trace.end());
  TENON_EXPECT_OK(call_plain(inner));  // after the end: not recorded
  const auto spans = trace.spans();
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

TEST_F(TraceRecord, FailuresEndTheirSpans) {
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
  Trace trace;
  TENON_EXPECT_ERROR(call_plain(outer), TENON_ERROR_INDEX, "out of range");
  TENON_EXPECT_OK(trace.end());
  const auto spans = trace.spans();
  EXPECT_EQ(shape(spans), "outer@CPU >inner@CPU >inner@CPU");
  expect_nested(spans);
  for (const tenon_trace_span& span : spans) EXPECT_EQ(span.status, TENON_ERROR_INDEX);
}

// Frames are left by a store that nobody sees: the kernel's return is the end.
TEST_F(TraceRecord, FramesEndWithTheirKernel) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_CPU, noting("k"));
  Trace trace;
  for (int round = 0; round < 2; ++round) {
    tenon_frame frame;
    const tenon_entry* entry = round == 0 ? tenon_op_begin1(op, cpu_.get(), &frame)
                                          : tenon_op_begin_keys(op, keys({TENON_KEY_CPU}), &frame);
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->typed, nullptr);
    EXPECT_EQ(entry->signature, 0u);
    EXPECT_EQ(entry->ctx, frame.ctx);
    Call one({tensor_value(cpu_)}, 0);
    TENON_EXPECT_OK(tenon_op_invoke(entry, &frame, one.stack()));
    EXPECT_NE(trace.spans().back().end_ns, -1);
    *frame.leave_word = frame.leave_value;
  }
  Call one({tensor_value(cpu_)}, 0);
  tenon_frame frame;
  const tenon_entry* entry = tenon_op_resolve(op, one.stack()->args, 1, &frame);
  ASSERT_NE(entry, nullptr);
  TENON_EXPECT_OK(tenon_op_invoke(entry, &frame, one.stack()));
  TENON_EXPECT_OK(tenon_op_end(&frame, TENON_OK));
  EXPECT_EQ(take_notes(), "k k k");
  TENON_EXPECT_OK(trace.end());
  EXPECT_EQ(shape(trace.spans()), "f@CPU f*@CPU f@CPU");
  expect_nested(trace.spans());
  Call plain({tensor_value(cpu_)}, 0);
  entry = tenon_op_resolve(op, plain.stack()->args, 1, &frame);
  EXPECT_EQ(entry->boxed, &note_call) << "kernels are their own again";
  TENON_EXPECT_OK(tenon_op_end(&frame, TENON_OK));
}

// A binding may find that a kernel is not for it, leave, and call in another way.
TEST_F(TraceRecord, FramesLeftWithoutCalling_AreNoDispatches) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_CPU, noting("k"));
  Trace trace;
  tenon_frame frame;
  ASSERT_NE(tenon_op_begin1(op, cpu_.get(), &frame), nullptr);
  *frame.leave_word = frame.leave_value;
  TENON_EXPECT_OK(call_plain(op));
  TENON_EXPECT_OK(trace.end());
  const auto spans = trace.spans();
  EXPECT_EQ(shape(spans), "f@CPU");
  expect_nested(spans);
  take_notes();
}

TEST_F(TraceRecord, TracesNest_AndEndInAnyOrder) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_CPU, noting("k"));
  Trace first;
  TENON_EXPECT_OK(call_plain(op));
  Trace second;
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

TEST_F(TraceRecord, BeginsAndEndsInsideKernels) {
  const tenon_op* outer = library_.define("outer(Tensor x) -> ()");
  const tenon_op* inner = library_.define("inner(Tensor x) -> ()");
  std::unique_ptr<Trace> inside;
  Trace around;
  impl("inner", TENON_KEY_CPU, [&](const tenon_op*, tenon_keyset, tenon_stack*) {
    if (around.end() != TENON_OK) take_error();
    return TENON_OK;
  });
  impl("outer", TENON_KEY_CPU, [&](const tenon_op*, tenon_keyset, tenon_stack*) {
    inside = std::make_unique<Trace>();
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

TEST_F(TraceRecord, EachThreadRecordsItsOwn) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_CPU, noting("k"));
  Trace trace;
  std::unique_ptr<Trace> other;
  std::thread([&] {
    other = std::make_unique<Trace>();
    TENON_EXPECT_OK(call_plain(op));
    TENON_EXPECT_OK(call_plain(op));
    TENON_EXPECT_ERROR(trace.end(), TENON_ERROR_STATE, "by the thread that began it");
    tenon_buffer* buffer = nullptr;
    TENON_EXPECT_ERROR(tenon_trace_spans(trace.get(), &buffer), TENON_ERROR_STATE, "one that rec");
    take_notes();
  }).join();  // exits with its trace on: ended
  TENON_EXPECT_OK(call_plain(op));
  TENON_EXPECT_OK(trace.end());
  TENON_EXPECT_ERROR(trace.end(), TENON_ERROR_STATE, "one that has ended");
  TENON_EXPECT_ERROR(other->end(), TENON_ERROR_STATE, "one that has ended");
  EXPECT_EQ(trace.spans().size(), 1u);
  EXPECT_EQ(other->spans().size(), 2u);
  take_notes();
}

TEST_F(TraceRecord, ATracerBesideIt_BothAreTold) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_CPU, noting("k"));
  int told = 0;
  Trace trace;
  TENON_ASSERT_OK(tenon_trace_set(
      [](void* ctx, const tenon_trace_event*) { ++*static_cast<int*>(ctx); }, &told));
  TENON_EXPECT_OK(call_plain(op));
  TENON_EXPECT_OK(trace.end());
  TENON_EXPECT_OK(call_plain(op));
  TENON_ASSERT_OK(tenon_trace_set(nullptr, nullptr));
  EXPECT_EQ(told, 2);
  EXPECT_EQ(trace.spans().size(), 1u);
  take_notes();
}

TEST_F(TraceRecord, CallKey_IsRecorded) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_TRACER, noting("k"));
  Trace trace;
  Call one({tensor_value(cpu_)}, 0);
  TENON_EXPECT_OK(tenon_op_call_key(op, TENON_KEY_TRACER, one.stack()));
  TENON_EXPECT_OK(trace.end());
  EXPECT_EQ(shape(trace.spans()), "f@Tracer");
  expect_nested(trace.spans());
  take_notes();
}

TEST_F(TraceRecord, ReleasedWhileItRecords_LivesUntilTheEnd) {
  const int64_t before = tenon_live_count(TENON_HANDLE_TRACE);
  std::thread([&] {
    Trace forgotten;
    EXPECT_EQ(tenon_live_count(TENON_HANDLE_TRACE), before + 1);
  }).join();
  EXPECT_EQ(tenon_live_count(TENON_HANDLE_TRACE), before);
}

}  // namespace
}  // namespace tenon::test
