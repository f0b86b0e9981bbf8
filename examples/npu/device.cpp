// SPDX-License-Identifier: Apache-2.0
// Steps 1 and 2: a name and key for the backend; memory, copies, streams and events for its device.
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

#include "npu.h"

namespace npu {

int32_t device_type() {
  static const int32_t number = [] {
    int32_t type = 0;
    tenon::check(tenon_backend_register("npu", &type));
    return type;
  }();
  return number;
}

tenon_key key() { return tenon::key("npu"); }

class Stream {
 public:
  Stream() : worker_([this] { run(); }) {}
  ~Stream() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }

  void enqueue(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(std::move(work));
      ++queued_;
    }
    changed_.notify_all();
  }
  void synchronize() {
    std::unique_lock lock(mutex_);
    const uint64_t target = queued_;
    changed_.wait(lock, [&] { return done_ >= target; });
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return closing_ || !queue_.empty(); });
      if (queue_.empty()) return;
      std::function<void()> work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      work();
      work = nullptr;  // releases its tensors before the stream counts as idle
      lock.lock();
      ++done_;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  uint64_t queued_ = 0;
  uint64_t done_ = 0;
  bool closing_ = false;
  std::thread worker_;  // must be last: the thread uses the other members
};

namespace {

// The stream of threads that have not chosen one. Never destroyed, because tensors may outlive
// static objects.
Stream& default_stream() {
  static Stream* const stream = new Stream;
  return *stream;
}

thread_local Stream* chosen = nullptr;

Stream& stream_of(void* handle) {
  return handle != nullptr ? *static_cast<Stream*>(handle) : default_stream();
}

// A point in a stream's queue that other streams can wait for.
struct Event {
  std::mutex mutex;
  std::condition_variable changed;
  bool passed = true;
};
using EventPtr = std::shared_ptr<Event>;
EventPtr& event_of(void* handle) { return *static_cast<EventPtr*>(handle); }

tenon_status device_count(void*, int32_t* out_count) {
  *out_count = 1;
  return TENON_OK;
}

tenon_status current_device(void*, int32_t* out_index) {
  *out_index = 0;
  return TENON_OK;
}

tenon_status allocate(void*, int32_t, int64_t nbytes, void** out_data) {
  *out_data = std::malloc(static_cast<size_t>(nbytes));
  if (*out_data != nullptr) return TENON_OK;
  return tenon_error_raise(TENON_ERROR_OUT_OF_MEMORY, "npu: the device has no memory left");
}

// Frees memory after the queued work, which may still use it. (Kernels keep their tensors alive;
// this matters for memory that only a copy refers to.)
void release(void*, int32_t, void* data) {
  default_stream().enqueue([data] { std::free(data); });
}

tenon_status copy(void*, void* dst, const tenon_device*, const void* src, const tenon_device*,
                  int64_t nbytes, void* stream, int32_t blocking) {
  stream_of(stream).enqueue([=] { std::memcpy(dst, src, static_cast<size_t>(nbytes)); });
  if (blocking != 0) stream_of(stream).synchronize();
  return TENON_OK;
}

tenon_status get_current_stream(void*, int32_t, void** out_stream) {
  *out_stream = &current_stream();
  return TENON_OK;
}

tenon_status set_current_stream(void*, int32_t, void* stream) {
  chosen = &stream_of(stream);
  return TENON_OK;
}

tenon_status stream_new(void*, int32_t, void** out_stream) {
  *out_stream = new Stream;
  return TENON_OK;
}

void stream_release(void*, int32_t, void* stream) {
  if (chosen == stream) chosen = nullptr;
  delete static_cast<Stream*>(stream);
}

tenon_status stream_synchronize(void*, int32_t, void* stream) {
  stream_of(stream).synchronize();
  return TENON_OK;
}

tenon_status event_new(void*, int32_t, void** out_event) {
  *out_event = new EventPtr(std::make_shared<Event>());
  return TENON_OK;
}

void event_release(void*, int32_t, void* event) { delete &event_of(event); }

tenon_status event_record(void*, int32_t, void* event, void* stream) {
  const EventPtr fresh = std::make_shared<Event>();
  fresh->passed = false;
  event_of(event) = fresh;
  stream_of(stream).enqueue([fresh] {
    const std::lock_guard lock(fresh->mutex);
    fresh->passed = true;
    fresh->changed.notify_all();
  });
  return TENON_OK;
}

tenon_status event_wait(void*, int32_t, void* event, void* stream) {
  stream_of(stream).enqueue([waited = event_of(event)] {
    std::unique_lock lock(waited->mutex);
    waited->changed.wait(lock, [&] { return waited->passed; });
  });
  return TENON_OK;
}

}  // namespace

Stream& current_stream() { return chosen != nullptr ? *chosen : default_stream(); }
void enqueue(Stream& stream, std::function<void()> work) { stream.enqueue(std::move(work)); }
void synchronize(Stream& stream) { stream.synchronize(); }

void register_device() {
  tenon_device_provider provider{};
  provider.struct_size = sizeof provider;
  provider.device_type = device_type();
  provider.device_count = &device_count;
  provider.current_device = &current_device;
  provider.allocate = &allocate;
  provider.release = &release;
  provider.copy = &copy;
  provider.current_stream = &get_current_stream;
  provider.set_current_stream = &set_current_stream;
  provider.stream_new = &stream_new;
  provider.stream_release = &stream_release;
  provider.stream_synchronize = &stream_synchronize;
  provider.event_new = &event_new;
  provider.event_release = &event_release;
  provider.event_record = &event_record;
  provider.event_wait = &event_wait;
  provide_generators(provider);
  const tenon_status status = tenon_device_provider_register(&provider);
  // If the plugin is loaded again after an unload, the first provider stays registered.
  if (status == TENON_ERROR_ALREADY_EXISTS) {
    tenon_error_release(tenon_error_take());
  } else {
    tenon::check(status);
  }
}

}  // namespace npu
