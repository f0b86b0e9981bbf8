// SPDX-License-Identifier: Apache-2.0
// Locks that a child process must find free, though another thread of the parent held them.
#pragma once

#include <cstdint>
#include <mutex>

namespace tenon::base {

/// The process's locks, in the order in which a thread may hold several.
enum class ForkOrder : uint32_t { kRegistry, kPlugins, kKeys, kTypes, kNames, kCount };

/// Holds a lock during each fork from now on. One for each place; it lives for ever.
void hold_across_fork(std::mutex& mutex, ForkOrder place);

}  // namespace tenon::base
