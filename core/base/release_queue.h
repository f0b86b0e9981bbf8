// SPDX-License-Identifier: Apache-2.0
// Ends of objects in turn instead of one inside another: a chain of a million objects that own each
// other is freed on any stack.
#pragma once

namespace tenon::base {

/// A link of the queue. It lies in the object that ends, so that an end needs no memory.
struct Ending {
  Ending* next;
  void (*run)(Ending* ending) noexcept;  // ends the object, and the link with it
};

/// Ends an object whose last reference is gone: now, or, when this is called by the end of another
/// one on the same thread, after that.
void end_in_turn(Ending* ending, void (*run)(Ending* ending) noexcept) noexcept;

}  // namespace tenon::base
