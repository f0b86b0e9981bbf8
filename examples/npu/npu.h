// SPDX-License-Identifier: Apache-2.0
// The npu backend: a simulated device in host memory, with streams that run its work.
#pragma once

#include <functional>
#include <memory>

#include <tenon/tenon.hpp>

namespace npu {

// Return the number of the device type and the key of its kernels; later calls return the same
// ones.
int32_t device_type();
tenon_key key();

// The "hardware": a queue of work with a thread that runs it.
class Stream;

// Returns the stream for the calling thread's work.
Stream& current_stream();
// Queues work, which runs after everything queued on the stream before.
void enqueue(Stream& stream, std::function<void()> work);
// Waits until the stream has finished everything queued so far.
void synchronize(Stream& stream);

// Registers functions by which the library allocates, copies and orders work on the device.
void register_device();
// Adds random number generators to the device's functions.
void provide_generators(tenon_device_provider& provider);
// Registers the kernels in `aten`, and the fallback for all operators without a kernel.
void register_kernels(tenon::Library& aten);
void register_random(tenon::Library& aten);
void register_fallback(tenon::Library& all);

// Returns the number of calls that the fallback has served, for the check.
int64_t fallback_calls();

}  // namespace npu
