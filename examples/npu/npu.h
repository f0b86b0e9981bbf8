// SPDX-License-Identifier: Apache-2.0
// The npu backend: a device in host memory whose work runs on streams of its own.
#pragma once

#include <functional>
#include <memory>

#include <tenon/tenon.hpp>

namespace npu {

// Number of the device type and key of its kernels; registering them again changes nothing.
int32_t device_type();
tenon_key key();

// What the "hardware" does: queues of work, each with a thread of its own.
class Stream;

// The stream that the calling thread's work on a device goes to.
Stream& current_stream();
// Queues work; it runs after all that was queued on the stream before.
void enqueue(Stream& stream, std::function<void()> work);
// Waits until the stream has done all that was queued so far.
void synchronize(Stream& stream);

// Tells the library how the device allocates, copies and orders work.
void register_device();
// Adds the device's generators of random numbers to what it can do.
void provide_generators(tenon_device_provider& provider);
// Puts the kernels into `aten`, and the fallback under all operators without one.
void register_kernels(tenon::Library& aten);
void register_random(tenon::Library& aten);
void register_fallback(tenon::Library& all);

// How many calls the fallback has served; the check asks.
int64_t fallback_calls();

}  // namespace npu
