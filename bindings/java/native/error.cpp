// SPDX-License-Identifier: Apache-2.0
// The Java copy of an error: one array with all its texts, which is only parsed on demand.
#include <cstring>

#include "runtime.h"

namespace tenon::java {

namespace {

// Calls `put(bytes, size)` with the parts of the array that ErrorText.java parses: first the
// numbers code, notes, frames and, for each frame, language and line; then the texts kind, message,
// notes and, for each frame, function and file, each with its NUL.
template <typename Put>
void pack(const tenon_error* error, Put put) {
  const auto number = [&](int32_t value) { put(&value, sizeof(value)); };
  const auto text = [&](const char* value) {
    if (value == nullptr) value = "";
    put(value, std::strlen(value) + 1);
  };
  const int64_t notes = tenon_error_note_count(error);
  const int64_t frames = tenon_error_frame_count(error);
  const auto frame = [&](int64_t index) {
    tenon_error_frame info{};
    tenon_error_get_frame(error, index, &info);  // fails only if the index is out of range
    return info;
  };
  number(tenon_error_code(error));
  number(static_cast<int32_t>(notes));
  number(static_cast<int32_t>(frames));
  for (int64_t i = 0; i < frames; ++i) {
    const tenon_error_frame info = frame(i);
    number(static_cast<int32_t>(info.language));
    number(static_cast<int32_t>(info.line));
  }
  text(tenon_error_kind(error));
  text(tenon_error_message(error));
  for (int64_t i = 0; i < notes; ++i) text(tenon_error_note(error, i));
  for (int64_t i = 0; i < frames; ++i) {
    const tenon_error_frame info = frame(i);
    text(info.function);
    text(info.file);
  }
}

// Returns the array, or null with an OutOfMemoryError pending.
jbyteArray packed(JNIEnv* env, const tenon_error* error) {
  size_t size = 0;
  pack(error, [&](const void*, size_t part) { size += part; });
  jbyteArray array = env->NewByteArray(static_cast<jsize>(size));
  if (array == nullptr) return nullptr;
  void* bytes = env->GetPrimitiveArrayCritical(array, nullptr);
  if (bytes == nullptr) return nullptr;
  auto* end = static_cast<char*>(bytes);
  pack(error, [&](const void* from, size_t part) {
    std::memcpy(end, from, part);
    end += part;
  });
  env->ReleasePrimitiveArrayCritical(array, bytes, 0);
  return array;
}

// Returns true if an error is only text, without a cause or an exception of a language.
bool is_plain(const tenon_error* error) {
  if (tenon_error_cause(error) != nullptr) return false;
  for (uint32_t language = 1; tenon_language_name(language) != nullptr; ++language) {
    if (tenon_error_payload(error, language) != nullptr) return false;
  }
  return true;
}

// Takes the slot's error if it is plain. Otherwise returns null and leaves the slot unchanged.
jbyteArray JNICALL take_plain_error(JNIEnv* env, jclass) {
  const tenon_error* error = tenon_error_peek();
  if (error == nullptr || !is_plain(error)) return nullptr;
  jbyteArray array = packed(env, error);
  if (array != nullptr) tenon_error_release(tenon_error_take());
  return array;
}

jbyteArray JNICALL read_error(JNIEnv* env, jclass, jlong error) {
  return packed(env, pointer<const tenon_error>(error));
}

}  // namespace

const JNINativeMethod kErrorMethods[] = {
    native("takePlainError", "()[B", reinterpret_cast<void*>(&take_plain_error)),
    native("readError", "(J)[B", reinterpret_cast<void*>(&read_error)),
};
const int kErrorMethodCount = sizeof(kErrorMethods) / sizeof(kErrorMethods[0]);

}  // namespace tenon::java
