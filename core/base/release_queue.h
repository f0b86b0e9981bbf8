// SPDX-License-Identifier: Apache-2.0
// Destroys objects one after the other instead of recursively, so that a chain of a million objects
// that own each other can be freed on any stack.
#pragma once

namespace tenon::base {

/// A link of the queue. It is part of the object, so that destruction needs no memory.
struct Ending {
  Ending* next;
  void (*run)(Ending* ending) noexcept;  // destroys the object and this link
};

/// Destroys an object whose last reference is gone: now, or, if another object is being destroyed
/// on the same thread, after that.
void end_in_turn(Ending* ending, void (*run)(Ending* ending) noexcept) noexcept;

}  // namespace tenon::base
