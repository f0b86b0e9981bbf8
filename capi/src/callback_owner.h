// SPDX-License-Identifier: Apache-2.0
// CallbackOwner: runs the deleter of a caller's ctx unless ownership was taken.
#pragma once

#include "tenon/common.h"

namespace tenon::capi {

/// Owns a caller's ctx and runs its deleter on destruction unless it was taken. `deleter` may be
/// NULL.
class CallbackOwner {
 public:
  CallbackOwner(void* ctx, tenon_deleter deleter) noexcept : ctx_(ctx), deleter_(deleter) {}
  ~CallbackOwner() {
    if (deleter_ != nullptr) deleter_(ctx_);
  }
  CallbackOwner(const CallbackOwner&) = delete;
  CallbackOwner& operator=(const CallbackOwner&) = delete;
  void taken() noexcept { deleter_ = nullptr; }

 private:
  void* const ctx_;
  tenon_deleter deleter_;
};

}  // namespace tenon::capi
