// SPDX-License-Identifier: Apache-2.0
#include "plugin/auto_load.h"

#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "base/fork.h"
#include "dispatch/key_set.h"
#include "dispatch/operator_entry.h"
#include "plugin/plugin.h"
#include "tensor/device.h"

namespace tenon::plugin {

namespace {

// One attempt to load a plugin by itself.
struct Attempt {
  enum class State { kUnderWay, kDone } state = State::kUnderWay;
  std::thread::id worker;
  uint32_t generation = 0;  // of the worker's process, see base/fork.h
  base::ErrorPtr failure;
};

void wait_for_others();

constexpr base::ForkLocks kUnderWay = {&wait_for_others, [] {}};

struct Attempts {
  Attempts() { base::hold_across_fork(mutex, base::ForkOrder::kAutoLoad, &kUnderWay); }

  std::mutex mutex;
  base::ForkSafeCondition changed;
  std::map<std::string, Attempt, std::less<>> by_name;
};

Attempts& attempts() { return base::singleton<Attempts, base::ForkOrder::kAutoLoad>(); }

bool others_are_loading(const Attempts& all) {
  for (const auto& [name, attempt] : all.by_name) {
    if (attempt.state == Attempt::State::kUnderWay &&
        attempt.generation == base::fork_generation() &&
        attempt.worker != std::this_thread::get_id()) {
      return true;
    }
  }
  return false;
}

// Before a fork: a child has half a plugin otherwise, and nobody who ends the other half. With an
// end, since the thread that forks may hold what a load function waits for.
void wait_for_others() {
  constexpr auto kLongest = std::chrono::seconds(5);
  Attempts& all = attempts();
  std::unique_lock lock(all.mutex, std::adopt_lock);
  const auto end = std::chrono::steady_clock::now() + kLongest;
  while (others_are_loading(all) && std::chrono::steady_clock::now() < end) {
    all.changed.wait_until(lock, end);
  }
  lock.release();
}

base::ErrorPtr try_load(const std::string& name) {
  try {
    PluginManager::get().load(name);
    return {};
  } catch (const Error& error) {
    return error.object();
  }
}

base::ErrorPtr lost_error(const std::string& name) {
  return base::ErrorPtr::adopt(base::ErrorObject::make(
      TENON_ERROR_STATE, {},
      base::concat(
          "plugin ", name,
          ": a process that forks must not be loading it, got the child of one that was")));
}

// True when the plugin came by this call, or by another thread's while this one waited.
bool load_once(const std::string& name, base::ErrorPtr* out_cause) {
  // Somebody asked for it by name, and its load function misses something. An attempt of another
  // thread may be waiting for this one.
  if (PluginManager::get().is_loading_here(name)) return false;
  Attempts& all = attempts();
  std::unique_lock lock(all.mutex);
  const auto [place, first] = all.by_name.try_emplace(name);
  Attempt& attempt = place->second;
  if (!first) {
    if (attempt.state == Attempt::State::kUnderWay) {
      // Its own load function misses something: that is no reason to wait for itself.
      if (attempt.worker == std::this_thread::get_id()) return false;
      // Nor for a thread of the parent's that was at it when this process was forked.
      if (attempt.generation != base::fork_generation()) {
        *out_cause = lost_error(name);
        return false;
      }
      while (attempt.state != Attempt::State::kDone) all.changed.wait(lock);
      if (!attempt.failure) return true;
    }
    *out_cause = attempt.failure;
    return false;
  }
  attempt.worker = std::this_thread::get_id();
  attempt.generation = base::fork_generation();
  lock.unlock();
  base::ErrorPtr failure = try_load(name);
  lock.lock();
  attempt.failure = failure;
  attempt.state = Attempt::State::kDone;
  all.changed.notify_all();
  *out_cause = failure;
  return !failure;
}

bool ships_kernels(std::string_view ns) { return ns == "aten" || ns == "tenon"; }

base::ErrorPtr load_for_namespace(std::string_view ns) {
  base::ErrorPtr cause;
  if (ships_kernels(ns)) load_once("tenon_cpu", &cause);
  return cause;
}

bool load_for_kernel(const tenon_op& op, tenon_key key, base::ErrorPtr* out_cause) {
  if (!ships_kernels(op.ns())) return false;
  if (load_once("tenon_cpu", out_cause)) return true;
  const bool dense = !dispatch::is_alias(key) && key != TENON_KEY_UNDEFINED &&
                     dispatch::functionality_of(key) == TENON_FUNCTIONALITY_DENSE;
  const auto device_type = static_cast<int32_t>(dense ? dispatch::backend_of(key) : 0);
  if (device_type == TENON_DEVICE_CPU || device_type == TENON_DEVICE_META) return false;
  const char* device = tensor::find_device_type_name(device_type);
  return device != nullptr && load_once(base::concat("tenon_", device), out_cause);
}

}  // namespace

dispatch::Loader loader() noexcept { return {&load_for_namespace, &load_for_kernel}; }

void load_provider(int32_t, const char* device_name) {
  base::ErrorPtr cause;
  if (!load_once(base::concat("tenon_", device_name), &cause) && cause) throw Error(cause);
}

}  // namespace tenon::plugin
