// SPDX-License-Identifier: Apache-2.0
// The error object behind tenon_error, the only exception type, and the calling thread's error
// slot.
#include "base/error.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "base/check.h"
#include "base/language.h"
#include "base/live_count.h"
#include "base/thread.h"

namespace tenon::base {

struct ErrorDetails {
  struct Frame {
    uint32_t language = TENON_LANGUAGE_NONE;
    int32_t line = 0;
    const char* known_function = nullptr;  // never freed; NULL: see copied_function
    const char* known_file = nullptr;
    std::string copied_function;
    std::string copied_file;

    const char* function() const {
      return known_function != nullptr ? known_function : copied_function.c_str();
    }
    const char* file() const { return known_file != nullptr ? known_file : copied_file.c_str(); }
  };
  std::vector<std::string> notes;
  std::vector<Frame> frames;
  ErrorPtr cause;
  std::string formatted;
};

const char* status_name(tenon_status status) noexcept {
  static constexpr const char* kNames[] = {
      "TENON_OK",
      "TENON_ERROR_INVALID_ARGUMENT",
      "TENON_ERROR_TYPE",
      "TENON_ERROR_NOT_FOUND",
      "TENON_ERROR_ALREADY_EXISTS",
      "TENON_ERROR_NO_KERNEL",
      "TENON_ERROR_NOT_SUPPORTED",
      "TENON_ERROR_INDEX",
      "TENON_ERROR_PARSE",
      "TENON_ERROR_OUT_OF_MEMORY",
      "TENON_ERROR_STATE",
      "TENON_ERROR_BUSY",
      "TENON_ERROR_RECURSION",
      "TENON_ERROR_ABI",
      "TENON_ERROR_SYSTEM",
      "TENON_ERROR_RUNTIME",
      "TENON_ERROR_DATA_DEPENDENT",
      "TENON_ERROR_FOREIGN",
      "TENON_ERROR_INTERNAL",
  };
  if (status >= 0 && status < static_cast<tenon_status>(std::size(kNames))) return kNames[status];
  return status == TENON_DECLINED ? "TENON_DECLINED" : "TENON_ERROR_UNKNOWN";
}

const char* status_kind(tenon_status status) noexcept {
  static constexpr const char* kKinds[] = {
      "Ok",
      "ValueError",
      "TypeError",
      "LookupError",
      "ExistsError",
      "NotImplementedError",
      "NotImplementedError",
      "IndexError",
      "SyntaxError",
      "MemoryError",
      "StateError",
      "BusyError",
      "RecursionError",
      "AbiError",
      "OSError",
      "RuntimeError",
      "DataDependentError",
      "ForeignError",
      "InternalError",
  };
  if (status >= 0 && status < static_cast<tenon_status>(std::size(kKinds))) return kKinds[status];
  return status == TENON_DECLINED ? "Declined" : "Error";
}

// Marks all running calls, from the innermost outwards. A call begins unmarked, and the calls
// around it keep their places and marks while it runs. So if a place is marked, all outer ones are,
// too.
static void mark_raised(const ThreadRecord& thread) noexcept {
  for (RunningPlace* end = thread.top.load(std::memory_order_relaxed); end != thread.running;
       --end) {
    RunningPlace* place = end - 1;
    const auto word = reinterpret_cast<uintptr_t>(place->load(std::memory_order_relaxed));
    if ((word & kRaised) != 0) return;
    place->store(reinterpret_cast<void*>(word | kRaised), std::memory_order_release);
  }
}

static tenon_error* put_error(ThreadRecord* thread, tenon_error* error) noexcept {
  TENON_DCHECK(thread == current_thread() && thread != &no_thread_record);
  if (error != nullptr) mark_raised(*thread);
  return std::exchange(thread->error, error);
}

bool raised_since(const RunningPlace* place) noexcept {
  if (current_thread()->error == nullptr) return false;
  return (reinterpret_cast<uintptr_t>(place->load(std::memory_order_relaxed)) & kRaised) != 0;
}

tenon_status set_current_error(ErrorPtr error) noexcept {
  const tenon_status code = error ? error->code() : TENON_OK;
  if (!error && !has_thread_record()) return code;
  // The old error's payload may run foreign code that uses the slot: release it last.
  if (ThreadRecord* thread = own_thread_record()) {
    ErrorPtr old = ErrorPtr::adopt(put_error(thread, error.detach()));
  }
  return code;
}

ErrorPtr take_current_error() noexcept {
  if (!has_thread_record()) return nullptr;
  return ErrorPtr::adopt(put_error(current_thread(), nullptr));
}

const ErrorObject* peek_current_error() noexcept { return current_thread()->error; }

ErrorPtr adopt_current_error(const char* name, const char* what, tenon_status status,
                             bool raised) noexcept {
  const ErrorObject* waiting = peek_current_error();
  if (status != TENON_DECLINED && waiting != nullptr && waiting->code() == status) {
    return take_current_error();
  }
  try {
    if (status == TENON_DECLINED) {
      return ErrorPtr::adopt(
          ErrorObject::make(TENON_ERROR_RUNTIME, {},
                            concat(name, ": ", what,
                                   " must return success or an error, got TENON_DECLINED, which "
                                   "only override and wrapper handlers may return")));
    }
    const bool other = raised && waiting != nullptr;
    auto error = ErrorPtr::adopt(ErrorObject::make(
        status, {},
        concat(name, ": ", what, " failed with ", status_name(status),
               other ? " after raising an error of another code" : " without raising an error")));
    if (other) error->set_cause(take_current_error().detach());
    return error;
  } catch (const std::bad_alloc&) {
    return ErrorPtr::adopt(ErrorObject::out_of_memory());
  }
}

static void write_frame(std::string& out, const tenon_error_frame& frame) {
  out += "\n  at ";
  out += frame.function[0] == '\0' ? "?" : frame.function;
  if (frame.file[0] != '\0') {
    out += " (";
    out += frame.file;
    if (frame.line > 0) {
      out += ':';
      append(out, frame.line);
    }
    out += ')';
  }
  if (frame.language != TENON_LANGUAGE_NONE) {
    out += " [";
    const char* language = language_name(frame.language);
    out += language != nullptr ? language : "?";
    out += ']';
  }
}

}  // namespace tenon::base

using tenon::base::ErrorDetails;

constinit tenon_error tenon_error::out_of_memory_(Static{}, TENON_ERROR_OUT_OF_MEMORY,
                                                  "MemoryError", "out of memory");

tenon_error* tenon_error::out_of_memory() noexcept { return &out_of_memory_; }

tenon_error* tenon_error::make(tenon_status code, std::string_view kind,
                               std::string_view message) noexcept {
  TENON_DCHECK(message.data() != nullptr || message.empty());
  if (code == TENON_OK) code = TENON_ERROR_INTERNAL;
  // One block: the object, the message, and the kind unless it is that of the code.
  const size_t kind_size = kind.empty() ? 0 : kind.size() + 1;
  void* memory = std::malloc(sizeof(tenon_error) + message.size() + 1 + kind_size);
  if (memory == nullptr) return out_of_memory();
  char* text = static_cast<char*>(memory) + sizeof(tenon_error);
  std::memcpy(text, message.data(), message.size());
  text[message.size()] = '\0';
  const char* kind_text = tenon::base::status_kind(code);
  if (kind_size != 0) {
    char* copy = text + message.size() + 1;
    std::memcpy(copy, kind.data(), kind.size());
    copy[kind.size()] = '\0';
    kind_text = copy;
  }
  tenon::base::count_live(TENON_HANDLE_ERROR, 1);
  return new (memory) tenon_error(code, kind_text, text);
}

void tenon_error::retain() noexcept {
  if (static_) return;
  [[maybe_unused]] const int64_t before = references_.fetch_add(1, std::memory_order_relaxed);
  TENON_DCHECK(before > 0);  // otherwise released too often
}

void tenon_error::release() noexcept {
  if (static_ || references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (payload_deleter_ != nullptr) payload_deleter_(payload_);
  delete details_;
  this->~tenon_error();
  std::free(this);
  tenon::base::count_live(TENON_HANDLE_ERROR, -1);
}

ErrorDetails* tenon_error::details() noexcept {
  if (details_ == nullptr && !static_) details_ = new (std::nothrow) ErrorDetails;
  return details_;
}

ErrorDetails* tenon_error::change() noexcept {
  ErrorDetails* details = this->details();
  if (details != nullptr) details->formatted.clear();
  return details;
}

void tenon_error::add_note(std::string_view note) noexcept {
  // A note is dropped if memory is short for it: the error itself matters more.
  ErrorDetails* details = change();
  if (details == nullptr) return;
  try {
    details->notes.emplace_back(note);
  } catch (const std::bad_alloc&) {
  }
}

int64_t tenon_error::note_count() const noexcept {
  return details_ == nullptr ? 0 : static_cast<int64_t>(details_->notes.size());
}

const char* tenon_error::note(int64_t index) const noexcept {
  if (index < 0 || index >= note_count()) return nullptr;
  return details_->notes[static_cast<size_t>(index)].c_str();
}

void tenon_error::add_frame(uint32_t language, const char* function, const char* file,
                            int32_t line) noexcept {
  if (frames_wanted() <= 0) return;
  ErrorDetails* details = change();
  if (details == nullptr) return;
  try {
    details->frames.push_back(
        {language, line, nullptr, nullptr, function ? function : "", file ? file : ""});
  } catch (const std::bad_alloc&) {
  }
}

void tenon_error::add_known_frame(uint32_t language, const char* function, const char* file,
                                  int32_t line) noexcept {
  if (static_) return;
  tenon_error_frame last = {};
  if (get_frame(frame_count() - 1, &last)) {
    if (last.function == function && last.file == file && last.line == line) return;
  } else {
    if (details_ != nullptr) details_->formatted.clear();
    first_frame_.language = language;
    first_frame_.line = line;
    first_frame_.function = function;
    first_frame_.file = file;
    return;
  }
  ErrorDetails* details = change();
  if (details == nullptr) return;
  try {
    details->frames.push_back({language, line, function, file, {}, {}});
  } catch (const std::bad_alloc&) {
  }
}

int64_t tenon_error::frame_count() const noexcept {
  const int64_t first = first_frame_.function != nullptr ? 1 : 0;
  return first + (details_ == nullptr ? 0 : static_cast<int64_t>(details_->frames.size()));
}

bool tenon_error::get_frame(int64_t index, tenon_error_frame* out_frame) const noexcept {
  if (index < 0 || index >= frame_count()) return false;
  if (first_frame_.function != nullptr && index-- == 0) {
    *out_frame = first_frame_;
    return true;
  }
  const ErrorDetails::Frame& frame = details_->frames[static_cast<size_t>(index)];
  *out_frame = {};
  out_frame->language = frame.language;
  out_frame->line = frame.line;
  out_frame->function = frame.function();
  out_frame->file = frame.file();
  return true;
}

void tenon_error::set_cause(tenon_error* cause) noexcept {
  auto owned = tenon::base::ErrorPtr::adopt(cause);
  // A chain that led back to this error would never be freed, and printing it would not end.
  for (const tenon_error* link = cause; link != nullptr; link = link->cause()) {
    if (link == this) return;
  }
  if (ErrorDetails* details = change()) details->cause.swap(owned);
}

const tenon_error* tenon_error::cause() const noexcept {
  return details_ == nullptr ? nullptr : details_->cause.get();
}

void tenon_error::set_payload(uint32_t language, void* payload, tenon_deleter deleter) noexcept {
  void* old_payload = payload;
  tenon_deleter old_deleter = deleter;
  if (!static_) {
    old_payload = std::exchange(payload_, payload);
    old_deleter = std::exchange(payload_deleter_, deleter);
    payload_language_ = language;
  }
  if (old_deleter != nullptr) old_deleter(old_payload);
}

void* tenon_error::payload(uint32_t language) const noexcept {
  return payload_language_ == language ? payload_ : nullptr;
}

void tenon_error::write(std::string& out, int depth) const {
  out += kind_;
  out += ": ";
  out += message_;
  for (int64_t i = 0; i < note_count(); ++i) {
    out += "\n  note: ";
    out += note(i);
  }
  // Endless recursion is recognizable by both ends of the list.
  constexpr int64_t kShownAtEachEnd = 32;
  const int64_t frames = frame_count();
  tenon_error_frame frame;
  for (int64_t i = 0; i < frames && get_frame(i, &frame); ++i) {
    if (i == kShownAtEachEnd && frames > 2 * kShownAtEachEnd) {
      out += "\n  ... ";
      tenon::base::append(out, frames - 2 * kShownAtEachEnd);
      out += " more frames ...";
      i = frames - kShownAtEachEnd;
      get_frame(i, &frame);
    }
    tenon::base::write_frame(out, frame);
  }
  constexpr int kMaxCauses = 32;
  if (cause() != nullptr && depth < kMaxCauses) {
    out += "\ncaused by ";
    cause()->write(out, depth + 1);
  }
}

const char* tenon_error::format() noexcept {
  ErrorDetails* details = this->details();
  if (details == nullptr) return message_;
  if (!details->formatted.empty()) return details->formatted.c_str();
  try {
    std::string text;
    write(text, 0);
    details->formatted = std::move(text);
  } catch (const std::bad_alloc&) {
    return message_;
  }
  return details->formatted.c_str();
}

namespace tenon {

void fail_with(tenon_status code, const base::TextPart* parts, size_t count) {
  throw Error(code, base::join(parts, count));
}

}  // namespace tenon
