// SPDX-License-Identifier: Apache-2.0
// Plugins over core/plugin; see tenon/plugin.h.
#include "plugin/plugin.h"

#include "guard.h"
#include "not_null.h"
#include "tenon/plugin.h"

using tenon::capi::guarded;
using tenon::plugin::PluginManager;

extern "C" {

tenon_status tenon_plugin_load(const char* path_or_name, tenon_plugin** out_plugin) {
  if (out_plugin != nullptr) *out_plugin = nullptr;
  return guarded([&] {
    tenon_plugin* plugin = PluginManager::get().load(path_or_name != nullptr ? path_or_name : "");
    if (out_plugin != nullptr) *out_plugin = plugin;
  });
}

tenon_status tenon_plugin_unload(tenon_plugin* plugin, int64_t timeout_ns) {
  TENON_REQUIRE(plugin);
  return guarded([&] { PluginManager::get().unload(plugin, timeout_ns); });
}

const char* tenon_plugin_name(const tenon_plugin* plugin) {
  TENON_NEVER_NULL(plugin);
  return plugin->name.c_str();
}

const char* tenon_plugin_version(const tenon_plugin* plugin) {
  TENON_NEVER_NULL(plugin);
  return plugin->version.c_str();
}

const char* tenon_plugin_path(const tenon_plugin* plugin) {
  TENON_NEVER_NULL(plugin);
  return plugin->path.c_str();
}

int32_t tenon_plugin_is_loaded(const tenon_plugin* plugin) {
  TENON_NEVER_NULL(plugin);
  int32_t loaded = 0;
  const tenon_status status =
      guarded([&] { loaded = PluginManager::get().is_loaded(*plugin) ? 1 : 0; });
  return status == TENON_OK ? loaded : 0;
}

}  // extern "C"
