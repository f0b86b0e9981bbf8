// SPDX-License-Identifier: Apache-2.0
// Plugins: finds, checks, loads and unloads shared libraries of registrations.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/dylib.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/interned_string.h"
#include "tenon/plugin.h"

/// A plugin that was opened at least once. Never freed, and its file stays mapped.
struct tenon_plugin {
  enum class State { kUnloaded, kLoading, kLoaded, kUnloading };

  tenon_plugin(const tenon_plugin_descriptor& plugin_descriptor, std::string_view file);

  const tenon_plugin_descriptor descriptor;  // truncated or padded to this version's struct
  const tenon::base::InternedString name;
  const tenon::base::InternedString version;
  const tenon::base::InternedString path;

  // Guarded by the manager's lock.
  State state = State::kUnloaded;
  bool nameless = false;              // its load failed, so another file may use the name
  std::thread::id worker;             // the thread that is loading or unloading it
  uint32_t generation = 0;            // fork generation of the worker's process, see base/fork.h
  void* load_state = nullptr;         // the state that its load function returned
  std::vector<const void*> draining;  // groups of its closed libraries that are still in use
};

namespace tenon::plugin {

using Plugin = ::tenon_plugin;

class PluginManager {
 public:
  /// Returns the process's manager, which is never freed.
  static PluginManager& get();

  /// See tenon_plugin_load and tenon_plugin_unload.
  Plugin* load(std::string_view path_or_name);
  void unload(Plugin* plugin, int64_t timeout_ns);
  bool is_loaded(const Plugin& plugin);
  /// Returns true if the calling thread is currently loading the plugin with that name.
  bool is_loading_here(std::string_view name);

 private:
  template <typename T, base::ForkOrder place>
  friend T& base::singleton();
  PluginManager();
  Plugin* open(std::string_view path_or_name);
  Plugin* find_by_name(std::string_view name);
  Plugin* find_by_path(std::string_view path);
  void claim_name_locked(Plugin* plugin);
  void run_load(Plugin* plugin);
  Plugin* add(const tenon_plugin_descriptor& descriptor, const std::string& path);
  bool begin(Plugin* plugin, Plugin::State wanted, Plugin::State busy);
  void settle(Plugin* plugin, Plugin::State state, const std::vector<const void*>& closed = {});
  void fail_load(Plugin* plugin, const std::vector<const void*>& closed);
  const void* next_draining(const Plugin& plugin);
  void drop_drained(Plugin* plugin, const void* group);
  void wait_for_locked(std::unique_lock<std::mutex>& lock, Plugin* plugin);

  struct Waiter {
    std::thread::id thread;
    const Plugin* plugin;
  };
  std::mutex mutex_;
  base::ForkSafeCondition changed_;
  std::vector<Plugin*> plugins_;
  std::vector<Waiter> waiters_;
};

/// Returns the path of the file for a plugin's name or path. Throws TENON_ERROR_NOT_FOUND with the
/// places that were searched.
std::string find_file(std::string_view path_or_name);

/// Returns a descriptor in this version's layout after checking it. Throws TENON_ERROR_ABI, and
/// TENON_ERROR_INVALID_ARGUMENT for reserved words that are not 0.
tenon_plugin_descriptor read_descriptor(const tenon_plugin_descriptor* given,
                                        std::string_view path);

/// Returns true if code built with a sanitizer runs in this process: this library was built with
/// it, or its runtime is already loaded. A runtime that is first loaded by a plugin aborts the
/// process.
bool has_runtime(uint32_t sanitizer) noexcept;

/// Checks, before a file is loaded, that the sanitizer it was built with has its runtime in the
/// process. Throws TENON_ERROR_ABI.
void check_sanitizer(const std::string& path);

/// Returns for example "AddressSanitizer" or "no sanitizer".
const char* sanitizer_name(uint32_t sanitizer) noexcept;

}  // namespace tenon::plugin
