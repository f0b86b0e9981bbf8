// SPDX-License-Identifier: Apache-2.0
#include "plugin/plugin.h"

#include <algorithm>

#include "base/check.h"
#include "base/fork.h"
#include "base/reclaim.h"
#include "dispatch/library.h"

using tenon::plugin::Plugin;

tenon_plugin::tenon_plugin(const tenon_plugin_descriptor& plugin_descriptor, std::string_view file)
    : descriptor(plugin_descriptor),
      name(plugin_descriptor.name),
      version(plugin_descriptor.version != nullptr ? plugin_descriptor.version : ""),
      path(file) {}

namespace tenon::plugin {

namespace {

// Throws the error that a plugin's function has set.
[[noreturn]] void throw_left_error(const Plugin& plugin, tenon_status status) {
  base::ErrorPtr error = base::take_current_error();
  if (!error || error->code() != status) {
    fail(status, "plugin ", plugin.name.view(), ": load function failed with ",
         base::status_name(status), " without raising an error");
  }
  error->add_note(
      base::concat("while loading plugin ", plugin.name.view(), " from ", plugin.path.view()));
  throw Error(std::move(error));
}

}  // namespace

PluginManager::PluginManager() { base::hold_across_fork(mutex_, base::ForkOrder::kPlugins); }

PluginManager& PluginManager::get() {
  return base::singleton<PluginManager, base::ForkOrder::kPlugins>();
}

Plugin* PluginManager::find_by_name(std::string_view name) {
  const std::lock_guard lock(mutex_);
  for (Plugin* plugin : plugins_) {
    if (plugin->name.view() == name && !plugin->nameless) return plugin;
  }
  return nullptr;
}

Plugin* PluginManager::find_by_path(std::string_view path) {
  const std::lock_guard lock(mutex_);
  for (Plugin* plugin : plugins_) {
    if (plugin->path.view() == path) return plugin;
  }
  return nullptr;
}

// Reserves a plugin's name. Throws if another file has the name, unless the load of that file
// failed.
void PluginManager::claim_name_locked(Plugin* plugin) {
  for (const Plugin* other : plugins_) {
    TENON_CHECK(other == plugin || other->nameless || other->name.view() != plugin->name.view(),
                TENON_ERROR_ALREADY_EXISTS, "plugin ", plugin->path.view(),
                ": name must be unique, got ", plugin->name.view(), ", which is the name of ",
                other->path.view());
  }
  plugin->nameless = false;
}

Plugin* PluginManager::add(const tenon_plugin_descriptor& descriptor, const std::string& path) {
  auto added = std::make_unique<Plugin>(descriptor, path);
  const std::lock_guard lock(mutex_);
  for (Plugin* plugin : plugins_) {
    if (plugin->path.view() == path) return plugin;  // another thread was first
  }
  claim_name_locked(added.get());
  plugins_.push_back(added.get());
  return added.release();
}

Plugin* PluginManager::open(std::string_view path_or_name) {
  if (Plugin* known = find_by_name(path_or_name)) return known;
  const std::string path = find_file(path_or_name);
  if (Plugin* known = find_by_path(path)) return known;
  check_sanitizer(path);
  base::Dylib library = base::Dylib::open(path);
  try {
    const auto query =
        reinterpret_cast<tenon_plugin_query_fn>(library.find(TENON_PLUGIN_QUERY_NAME));
    TENON_CHECK(query != nullptr, TENON_ERROR_ABI, "plugin ", path, ": must export ",
                TENON_PLUGIN_QUERY_NAME, ", got a library without it");
    return add(read_descriptor(query(TENON_ABI_MAJOR << 16, TENON_ABI_VERSION), path), path);
  } catch (const Error&) {
    library.close();  // safe: only the library's query function has run
    throw;
  }
}

// Waits for another thread to finish with a plugin. Throws if that thread, directly or through
// others, waits for this one.
void PluginManager::wait_for_locked(std::unique_lock<std::mutex>& lock, Plugin* plugin) {
  const std::thread::id me = std::this_thread::get_id();
  std::thread::id holder = plugin->worker;
  for (size_t steps = 0; steps <= waiters_.size(); ++steps) {
    const auto waits = std::find_if(waiters_.begin(), waiters_.end(),
                                    [&](const Waiter& waiter) { return waiter.thread == holder; });
    if (waits == waiters_.end()) break;
    holder = waits->plugin->worker;
    TENON_CHECK(holder != me, TENON_ERROR_STATE, "plugin ", plugin->name.view(),
                ": requirements must not be circular, got a cycle");
  }
  waiters_.push_back({me, plugin});
  changed_.wait(lock);
  std::erase_if(waiters_, [&](const Waiter& waiter) { return waiter.thread == me; });
}

// Claims a plugin for a change of state. Returns false if it has the wanted state already, or if
// this thread is already changing it to that state.
bool PluginManager::begin(Plugin* plugin, Plugin::State wanted, Plugin::State busy) {
  std::unique_lock lock(mutex_);
  while (plugin->state == Plugin::State::kLoading || plugin->state == Plugin::State::kUnloading) {
    if (plugin->worker == std::this_thread::get_id()) {
      TENON_CHECK(plugin->state == busy, TENON_ERROR_STATE, "plugin ", plugin->name.view(),
                  ": must not be loaded during its unload or unloaded during its load");
      return false;
    }
    TENON_CHECK(plugin->generation == base::fork_generation(), TENON_ERROR_STATE, "plugin ",
                plugin->name.view(), ": must not be loading or unloading while the process forks, ",
                "got a child process that was forked during that");
    wait_for_locked(lock, plugin);
  }
  if (plugin->state == wanted) return false;
  if (busy == Plugin::State::kLoading) claim_name_locked(plugin);
  plugin->state = busy;
  plugin->worker = std::this_thread::get_id();
  plugin->generation = base::fork_generation();
  return true;
}

// Ends the change that begin() started. `closed` are groups of libraries that were closed during
// it. After a reload, groups of earlier unloads are no longer waited for.
void PluginManager::settle(Plugin* plugin, Plugin::State state,
                           const std::vector<const void*>& closed) {
  const std::lock_guard lock(mutex_);
  plugin->state = state;
  if (state == Plugin::State::kLoaded) plugin->draining.clear();
  plugin->draining.insert(plugin->draining.end(), closed.begin(), closed.end());
  plugin->worker = {};
  changed_.notify_all();
}

// Ends a failed load. `closed` are the groups of the libraries that it had opened. Waits one second
// for running kernels; groups still in use, possibly by this thread, are left to a later unload.
void PluginManager::fail_load(Plugin* plugin, const std::vector<const void*>& closed) {
  constexpr int64_t kPatience = 1'000'000'000;
  std::vector<const void*> left;
  base::Blocker blocker;
  for (const void* group : closed) {
    if (base::drain(group, kPatience, &blocker) != base::DrainResult::kDone) left.push_back(group);
  }
  {
    const std::lock_guard lock(mutex_);
    plugin->nameless = true;
  }
  settle(plugin, Plugin::State::kUnloaded, left);
}

// Returns a group of the plugin's closed libraries that may still be in use, or NULL. Several
// threads may drain one group; the first to finish drops it.
const void* PluginManager::next_draining(const Plugin& plugin) {
  const std::lock_guard lock(mutex_);
  return plugin.draining.empty() ? nullptr : plugin.draining.back();
}

void PluginManager::drop_drained(Plugin* plugin, const void* group) {
  const std::lock_guard lock(mutex_);
  std::erase(plugin->draining, group);
}

bool PluginManager::is_loaded(const Plugin& plugin) {
  const std::lock_guard lock(mutex_);
  return plugin.state == Plugin::State::kLoaded;
}

bool PluginManager::is_loading_here(std::string_view name) {
  const std::lock_guard lock(mutex_);
  return std::any_of(plugins_.begin(), plugins_.end(), [&](const Plugin* plugin) {
    return plugin->state == Plugin::State::kLoading && plugin->name.view() == name &&
           plugin->worker == std::this_thread::get_id();
  });
}

// Loads the requirements, then calls the plugin's load function.
void PluginManager::run_load(Plugin* plugin) {
  for (uint32_t i = 0; i < plugin->descriptor.requirement_count; ++i) {
    const char* required = plugin->descriptor.requirements[i];
    try {
      const Plugin* other = load(required);
      TENON_CHECK(is_loaded(*other), TENON_ERROR_STATE, "plugin ", required,
                  ": requirements must not be circular, got a cycle");
    } catch (const Error& error) {
      error.object()->add_note(
          base::concat("plugin ", plugin->name.view(), " requires ", required));
      throw;
    }
  }
  plugin->load_state = nullptr;
  const tenon_status status = plugin->descriptor.load(plugin, &plugin->load_state);
  if (status != TENON_OK) throw_left_error(*plugin, status);
}

Plugin* PluginManager::load(std::string_view path_or_name) {
  Plugin* plugin = open(path_or_name);
  if (!begin(plugin, Plugin::State::kLoaded, Plugin::State::kLoading)) return plugin;
  std::vector<const void*> closed;
  try {
    dispatch::OpenedLibraries opened;
    try {
      run_load(plugin);
    } catch (...) {
      closed = opened.close_all();
      throw;
    }
  } catch (...) {
    fail_load(plugin, closed);
    throw;
  }
  settle(plugin, Plugin::State::kLoaded);
  return plugin;
}

void PluginManager::unload(Plugin* plugin, int64_t timeout_ns) {
  TENON_CHECK(plugin->descriptor.unload != nullptr, TENON_ERROR_NOT_SUPPORTED, "plugin ",
              plugin->name.view(), ": must have an unload function, got none");
  const bool idle = !is_loaded(*plugin) && next_draining(*plugin) == nullptr;
  if (idle) return;
  if (begin(plugin, Plugin::State::kUnloaded, Plugin::State::kUnloading)) {
    dispatch::ClosedLibraries closed;
    plugin->descriptor.unload(plugin->load_state);
    plugin->load_state = nullptr;
    settle(plugin, Plugin::State::kUnloaded, closed.groups());
  }
  while (const void* group = next_draining(*plugin)) {
    dispatch::drain_group(group, base::concat("plugin ", plugin->name.view()), timeout_ns);
    drop_drained(plugin, group);
  }
}

}  // namespace tenon::plugin
