// SPDX-License-Identifier: Apache-2.0
// Destroys objects one after the other instead of recursively, so that a chain of a million objects
// that own each other can be freed on any stack.
#pragma once

namespace tenon::base {

/// A link of the queue. It is part of the object, so that destruction needs no memory.
struct ReleaseLink {
  ReleaseLink* next;
  void (*run)(ReleaseLink* ending) noexcept;  // destroys the object and this link
};

/// Destroys an object whose last reference is gone by calling `run`: at once, or, if this thread is
/// destroying another object, after that one.
void release_in_order(ReleaseLink* ending, void (*run)(ReleaseLink* ending) noexcept) noexcept;

}  // namespace tenon::base
