// SPDX-License-Identifier: Apache-2.0
// Plugins: finding, checking, loading and unloading shared libraries of registrations.
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

/// A plugin that was opened once; lives for ever. Its file stays mapped.
struct tenon_plugin {
  enum class State { kUnloaded, kLoading, kLoaded, kUnloading };

  tenon_plugin(const tenon_plugin_descriptor& plugin_descriptor, std::string_view file);

  const tenon_plugin_descriptor descriptor;  // as this version knows it
  const tenon::base::InternedString name;
  const tenon::base::InternedString version;
  const tenon::base::InternedString path;

  // The manager's lock guards the rest.
  State state = State::kUnloaded;
  bool nameless = false;              // its load failed: other files may have the name
  std::thread::id worker;             // who loads or unloads it ...
  uint32_t generation = 0;            // ... in which process, see base/fork.h
  void* load_state = nullptr;         // what its load function gave
  std::vector<const void*> draining;  // groups of its closed libraries that are still in use
};

namespace tenon::plugin {

using Plugin = ::tenon_plugin;

class PluginManager {
 public:
  /// The process's manager. Leaked, as plugins are.
  static PluginManager& get();

  /// See tenon_plugin_load and tenon_plugin_unload.
  Plugin* load(std::string_view path_or_name);
  void unload(Plugin* plugin, int64_t timeout_ns);
  bool is_loaded(const Plugin& plugin);
  /// Whether the calling thread is in the middle of loading the plugin of that name.
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

/// Path of the file that a plugin's name or path stands for. Throws TENON_ERROR_NOT_FOUND telling
/// where it was looked for.
std::string find_file(std::string_view path_or_name);

/// A descriptor as this version knows it, checked against this library. Throws TENON_ERROR_ABI, and
/// INVALID_ARGUMENT for reserved words.
tenon_plugin_descriptor read_descriptor(const tenon_plugin_descriptor* given,
                                        std::string_view path);

/// Returns true if code built with a sanitizer runs in this process: it is this library's own, or
/// its runtime is there already. A runtime that a plugin brings in ends the process.
bool has_runtime(uint32_t sanitizer) noexcept;

/// Checks, before a file is loaded, that the sanitizer it was built with has its runtime in the
/// process. Throws TENON_ERROR_ABI.
void check_sanitizer(const std::string& path);

/// Such as "AddressSanitizer" or "no sanitizer".
const char* sanitizer_name(uint32_t sanitizer) noexcept;

}  // namespace tenon::plugin
