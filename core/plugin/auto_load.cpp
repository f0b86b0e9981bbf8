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

// One automatic attempt to load a plugin.
struct Attempt {
  enum class State { kUnderWay, kDone } state = State::kUnderWay;
  std::thread::id worker;
  uint32_t generation = 0;  // fork generation of the worker's process, see base/fork.h
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

// Runs before a fork, and waits for other threads to finish loading plugins: the child would
// inherit a half-loaded plugin that no thread completes. The wait has a time limit, because the
// load function may itself wait for a lock that the forking thread holds.
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
  return base::ErrorPtr::adopt(
      base::ErrorObject::make(TENON_ERROR_STATE, {},
                              base::concat("plugin ", name,
                                           ": must not be loading while the process forks, got a "
                                           "child process that was forked during a load")));
}

// Returns true if this call loaded the plugin, or waited for another thread that did.
bool load_once(const std::string& name, base::ErrorPtr* out_cause) {
  // This thread is loading the plugin explicitly, and the plugin's load function has looked up a
  // missing operator. Do not wait here: the attempt of another thread may be waiting for this load.
  if (PluginManager::get().is_loading_here(name)) return false;
  Attempts& all = attempts();
  std::unique_lock lock(all.mutex);
  const auto [place, first] = all.by_name.try_emplace(name);
  Attempt& attempt = place->second;
  if (!first) {
    if (attempt.state == Attempt::State::kUnderWay) {
      // Called from the plugin's own load function: this thread must not wait for itself.
      if (attempt.worker == std::this_thread::get_id()) return false;
      // The thread that was loading it exists only in the parent of this forked process.
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
