// SPDX-License-Identifier: Apache-2.0
// Errors over base/error.h, and the conversion of exceptions to errors; see tenon/error.h.
#include "tenon/error.h"

#include <exception>
#include <new>

#include "base/error.h"
#include "guard.h"
#include "not_null.h"

using tenon::base::ErrorObject;
using tenon::base::ErrorPtr;

namespace tenon::capi {

tenon_status catch_current_exception() noexcept {
  ErrorPtr error;
  try {
    throw;
  } catch (Error& caught) {
    error = caught.release();
  } catch (const std::bad_alloc&) {
    error = ErrorPtr::adopt(ErrorObject::out_of_memory());
  } catch (const std::exception& caught) {
    error = ErrorPtr::adopt(ErrorObject::make(TENON_ERROR_INTERNAL, {}, caught.what()));
  } catch (...) {
    error = ErrorPtr::adopt(
        ErrorObject::make(TENON_ERROR_INTERNAL, {}, "an exception of unknown type"));
  }
  return base::set_current_error(std::move(error));
}

tenon_status refuse_null(const char* function, const char* parameter) noexcept {
  return guarded([&] {
    fail(TENON_ERROR_INVALID_ARGUMENT, function, ": ", parameter, " must be given, got NULL");
  });
}

}  // namespace tenon::capi

extern "C" {

tenon_error* tenon_error_new(tenon_status code, const char* kind, const char* message) {
  return ErrorObject::make(code, kind != nullptr ? kind : "", message != nullptr ? message : "");
}

tenon_error* tenon_error_retain(tenon_error* error) {
  if (error != nullptr) error->retain();
  return error;
}

void tenon_error_release(tenon_error* error) {
  if (error != nullptr) error->release();
}

tenon_status tenon_error_set(tenon_error* error) {
  return tenon::base::set_current_error(ErrorPtr::adopt(error));
}

tenon_status tenon_error_raise(tenon_status code, const char* message) {
  return tenon_error_set(tenon_error_new(code, nullptr, message));
}

tenon_error* tenon_error_take(void) { return tenon::base::take_current_error().detach(); }

const tenon_error* tenon_error_peek(void) { return tenon::base::peek_current_error(); }

tenon_status tenon_error_code(const tenon_error* error) {
  TENON_REQUIRE(error);
  return error->code();
}

const char* tenon_error_kind(const tenon_error* error) {
  TENON_NEVER_NULL(error);
  return error->kind();
}

const char* tenon_error_message(const tenon_error* error) {
  TENON_NEVER_NULL(error);
  return error->message();
}

const char* tenon_error_format(tenon_error* error) {
  TENON_NEVER_NULL(error);
  return error->format();
}

void tenon_error_add_note(tenon_error* error, const char* note) {
  TENON_NEVER_NULL(error);
  error->add_note(note != nullptr ? note : "");
}

int64_t tenon_error_note_count(const tenon_error* error) {
  TENON_NEVER_NULL(error);
  return error->note_count();
}

const char* tenon_error_note(const tenon_error* error, int64_t index) {
  TENON_NEVER_NULL(error);
  return error->note(index);
}

void tenon_error_add_frame(tenon_error* error, uint32_t language, const char* function,
                           const char* file, int32_t line) {
  error->add_frame(language, function, file, line);
}

int32_t tenon_error_frames_wanted(const tenon_error* error) {
  TENON_NEVER_NULL(error);
  return error->frames_wanted();
}

int64_t tenon_error_frame_count(const tenon_error* error) {
  TENON_NEVER_NULL(error);
  return error->frame_count();
}

tenon_status tenon_error_get_frame(const tenon_error* error, int64_t index,
                                   tenon_error_frame* out_frame) {
  TENON_REQUIRE(out_frame);
  TENON_REQUIRE(error);
  *out_frame = {};
  return tenon::capi::guarded([&] {
    if (!error->get_frame(index, out_frame)) {
      tenon::fail(TENON_ERROR_INDEX, "tenon_error_get_frame: index must be in [0, ",
                  error->frame_count(), "), got ", index);
    }
  });
}

void tenon_error_set_cause(tenon_error* error, tenon_error* cause) {
  TENON_NEVER_NULL(error);
  error->set_cause(cause);
}

const tenon_error* tenon_error_cause(const tenon_error* error) {
  TENON_NEVER_NULL(error);
  return error->cause();
}

void tenon_error_set_payload(tenon_error* error, uint32_t language, void* payload,
                             tenon_deleter deleter) {
  error->set_payload(language, payload, deleter);
}

void* tenon_error_payload(const tenon_error* error, uint32_t language) {
  TENON_NEVER_NULL(error);
  return error->payload(language);
}

}  // extern "C"
