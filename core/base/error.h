// SPDX-License-Identifier: Apache-2.0
// The error object behind tenon_error, the only exception type, and the calling thread's error
// slot.
#pragma once

#include <atomic>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "base/concat.h"
#include "base/intrusive_ptr.h"
#include "tenon/error.h"
#include "tenon/language.h"

namespace tenon::base {
struct ErrorDetails;
using RunningPlace = std::atomic<void*>;
}  // namespace tenon::base

/// An error. One allocation holds the object, its texts and the frame of the kernel that failed;
/// rare parts (notes, more frames, cause) are allocated on demand. The out-of-memory error is
/// static and ignores changes.
struct tenon_error {
 public:
  /// Returns a new error, or the static out-of-memory error if memory is short. An empty `kind`
  /// means the kind of the code. TENON_OK becomes TENON_ERROR_INTERNAL; unknown codes stay
  /// unchanged.
  static tenon_error* make(tenon_status code, std::string_view kind,
                           std::string_view message) noexcept;
  static tenon_error* out_of_memory() noexcept;

  void retain() noexcept;
  void release() noexcept;

  tenon_status code() const noexcept { return code_; }
  const char* kind() const noexcept { return kind_; }
  const char* message() const noexcept { return message_; }

  void add_note(std::string_view note) noexcept;
  int64_t note_count() const noexcept;
  const char* note(int64_t index) const noexcept;

  void add_frame(uint32_t language, const char* function, const char* file, int32_t line) noexcept;
  /// Like add_frame(), for texts that are never freed and are not copied. A frame that equals the
  /// last one is not added again.
  void add_known_frame(uint32_t language, const char* function, const char* file,
                       int32_t line) noexcept;
  int64_t frame_count() const noexcept;
  /// Limits the number of frames that can still be added. Further frames are dropped.
  void limit_frames(int32_t more) noexcept {
    frame_limit_ = static_cast<uint8_t>(frame_count() + more);
  }
  int32_t frames_wanted() const noexcept {
    return frame_limit_ == 0 ? INT32_MAX : frame_limit_ - static_cast<int32_t>(frame_count());
  }
  bool get_frame(int64_t index, tenon_error_frame* out_frame) const noexcept;

  void set_cause(tenon_error* cause) noexcept;
  const tenon_error* cause() const noexcept;

  void set_payload(uint32_t language, void* payload, tenon_deleter deleter) noexcept;
  void* payload(uint32_t language) const noexcept;

  /// Formats the whole error. The text is valid until the next change.
  const char* format() noexcept;

 private:
  struct Static {};
  tenon_error(tenon_status code, const char* kind, const char* message) noexcept
      : code_(code), kind_(kind), message_(message) {}
  constexpr tenon_error(Static, tenon_status code, const char* kind, const char* message) noexcept
      : static_(true), code_(code), kind_(kind), message_(message) {}
  ~tenon_error() = default;
  /// Returns the details, allocated on demand; NULL if memory is short, and for the out-of-memory
  /// error.
  tenon::base::ErrorDetails* details() noexcept;
  /// Like details(), for changes: discards the text that format() keeps.
  tenon::base::ErrorDetails* change() noexcept;
  void write(std::string& out, int depth) const;

  static tenon_error out_of_memory_;

  std::atomic<int64_t> references_{1};
  bool static_ = false;
  uint8_t frame_limit_ = 0;  // 0: no limit
  uint32_t payload_language_ = TENON_LANGUAGE_NONE;
  tenon_status code_;
  const char* kind_;
  const char* message_;
  void* payload_ = nullptr;
  tenon_deleter payload_deleter_ = nullptr;
  tenon_error_frame first_frame_ = {};  // innermost; not copied; function NULL: none
  tenon::base::ErrorDetails* details_ = nullptr;
};

namespace tenon::base {

using ErrorObject = ::tenon_error;
using ErrorPtr = IntrusivePtr<ErrorObject>;

/// Return static texts for a status, see tenon/status.h.
const char* status_name(tenon_status status) noexcept;
const char* status_kind(tenon_status status) noexcept;

/// Puts an error into the calling thread's error slot and releases the previous one; NULL empties
/// the slot. Returns the error's code. Without memory for a thread record, the error is dropped.
tenon_status set_current_error(ErrorPtr error) noexcept;
/// Moves the error out of the calling thread's error slot; empty if there is none.
ErrorPtr take_current_error() noexcept;
const ErrorObject* peek_current_error() noexcept;

/// Returns the error of a kernel or function that returned `status` without passing an error: the
/// one in the error slot if its code is `status`, otherwise a new one. The new error's message
/// contains `name` and `what`, such as "kernel". If the slot's error was raised during the call
/// (`raised`), it becomes the cause of the new one.
ErrorPtr adopt_current_error(const char* name, const char* what, tenon_status status,
                             bool raised) noexcept;
/// Returns true if the error slot got its error from the call that runs at `place`, or inside it.
bool raised_since(const RunningPlace* place) noexcept;

}  // namespace tenon::base

namespace tenon {

/// The only exception type. Thrown in core and capi only; the guard of each C function catches it.
class Error final : public std::exception {
 public:
  Error(tenon_status code, std::string_view message)
      : object_(base::ErrorPtr::adopt(base::ErrorObject::make(code, {}, message))) {}
  explicit Error(base::ErrorPtr object) noexcept : object_(std::move(object)) {}

  tenon_status code() const noexcept { return object_->code(); }
  const char* what() const noexcept override { return object_->message(); }
  const base::ErrorPtr& object() const noexcept { return object_; }
  base::ErrorPtr release() noexcept { return std::move(object_); }

 private:
  base::ErrorPtr object_;
};

/// Throws an Error whose message joins the parts. Out of line, to keep call sites small.
[[noreturn]] void fail_with(tenon_status code, const base::TextPart* parts, size_t count);

template <class... Parts>
[[noreturn]] void fail(tenon_status code, const Parts&... parts) {
  const base::TextPart all[] = {base::TextPart(parts)...};
  fail_with(code, all, sizeof...(parts));
}

}  // namespace tenon
