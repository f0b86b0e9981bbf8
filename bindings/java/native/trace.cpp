// SPDX-License-Identifier: Apache-2.0
// The call trace of a thread, recorded in C so that tracing does not disturb what it watches.
#include <new>
#include <string>

#include "runtime.h"

namespace tenon::java {

namespace {

struct Recorder {
  std::string lines;  // depth, redispatch, key, key set, language, operator, kernel; by tabs
  bool complete = true;
};

void record(void* ctx, const tenon_trace_event* event) {
  auto* recorder = static_cast<Recorder*>(ctx);
  try {
    std::string& lines = recorder->lines;
    lines += std::to_string(event->depth) + '\t' + std::to_string(event->redispatch) + '\t';
    lines += std::to_string(event->key) + '\t';
    lines += std::to_string(static_cast<int64_t>(event->keys)) + '\t';
    lines += std::to_string(event->language) + '\t';
    lines += tenon_op_name(event->op);
    lines += '\t';
    lines += event->kernel == nullptr ? "" : event->kernel;
    lines += '\n';
  } catch (const std::bad_alloc&) {
    recorder->complete = false;
  }
}

jlong JNICALL trace_start(JNIEnv*, jclass) {
  auto* recorder = new (std::nothrow) Recorder;
  if (recorder == nullptr) {
    tenon_error_raise(TENON_ERROR_OUT_OF_MEMORY, "trace: out of memory");
    return 0;
  }
  if (tenon_trace_set(&record, recorder) != TENON_OK) {
    delete recorder;
    return 0;
  }
  return address(recorder);
}

// Returns the lines, or null when memory ran out while recording.
jbyteArray JNICALL trace_stop(JNIEnv* env, jclass, jlong handle) {
  auto* recorder = pointer<Recorder>(handle);
  tenon_trace_set(nullptr, nullptr);
  jbyteArray text = nullptr;
  if (recorder->complete) {
    const auto size = static_cast<jsize>(recorder->lines.size());
    text = env->NewByteArray(size);
    if (text != nullptr) {
      env->SetByteArrayRegion(text, 0, size,
                              reinterpret_cast<const jbyte*>(recorder->lines.data()));
    }
  }
  delete recorder;
  return text;
}

}  // namespace

const JNINativeMethod kTraceMethods[] = {
    native("traceStart", "()J", reinterpret_cast<void*>(&trace_start)),
    native("traceStop", "(J)[B", reinterpret_cast<void*>(&trace_stop)),
};
const int kTraceMethodCount = sizeof(kTraceMethods) / sizeof(kTraceMethods[0]);

}  // namespace tenon::java
