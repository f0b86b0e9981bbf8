// SPDX-License-Identifier: Apache-2.0
// HidingStack: a stack whose upper entries can be hidden while something below them runs.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/check.h"

namespace tenon::dispatch {

template <class T>
class HidingStack {
 public:
  /// Returns the number of visible entries. at(size() - 1) is the top.
  size_t size() const noexcept { return visible_; }
  bool empty() const noexcept { return visible_ == 0; }
  T& at(size_t index) noexcept {
    TENON_DCHECK(index < visible_);
    return entries_[index];
  }
  const T& at(size_t index) const noexcept {
    TENON_DCHECK(index < visible_);
    return entries_[index];
  }
  T& top() noexcept {
    TENON_DCHECK(visible_ != 0);
    return entries_[visible_ - 1];
  }

  /// Pushes on top of the visible entries, below the hidden ones. Throws std::bad_alloc.
  void push(T entry) {
    entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(visible_), std::move(entry));
    ++visible_;
    check_invariants();
  }
  T pop() noexcept {
    TENON_DCHECK(visible_ != 0);
    T entry = std::move(entries_[--visible_]);
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(visible_));
    return entry;
  }

  /// Hides all entries from index `size` on. Returns the number of entries hidden before, which the
  /// caller passes to show() afterwards. Pushes and pops in between change only the visible part.
  size_t hide_from(size_t size) noexcept {
    TENON_DCHECK(size <= visible_);
    const size_t hidden = entries_.size() - visible_;
    visible_ = size;
    return hidden;
  }
  void show(size_t hidden) noexcept {
    visible_ = entries_.size() - (hidden < entries_.size() ? hidden : entries_.size());
    check_invariants();
  }

  /// Returns a copy of the visible part. Throws std::bad_alloc.
  HidingStack visible() const {
    HidingStack copy;
    copy.entries_.assign(entries_.begin(),
                         entries_.begin() + static_cast<std::ptrdiff_t>(visible_));
    copy.visible_ = visible_;
    return copy;
  }

 private:
  // Invariant: hidden entries are above the visible ones.
  void check_invariants() const noexcept { TENON_DCHECK(visible_ <= entries_.size()); }

  std::vector<T> entries_;
  size_t visible_ = 0;
};

}  // namespace tenon::dispatch
