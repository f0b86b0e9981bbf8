// SPDX-License-Identifier: Apache-2.0
// Handed: what a caller hands over with its deleter, until somebody has taken it.
#pragma once

#include "tenon/common.h"

namespace tenon::capi {

/// Runs the deleter at its end unless it was taken. `deleter` may be NULL.
class Handed {
 public:
  Handed(void* ctx, tenon_deleter deleter) noexcept : ctx_(ctx), deleter_(deleter) {}
  ~Handed() {
    if (deleter_ != nullptr) deleter_(ctx_);
  }
  Handed(const Handed&) = delete;
  Handed& operator=(const Handed&) = delete;
  void taken() noexcept { deleter_ = nullptr; }

 private:
  void* const ctx_;
  tenon_deleter deleter_;
};

}  // namespace tenon::capi
