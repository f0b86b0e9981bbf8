/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins: shared libraries of registrations, described by one query function. */
#ifndef TENON_PLUGIN_H
#define TENON_PLUGIN_H

#include "tenon/common.h"

// Usage:
//
//   tenon_plugin* plugin = NULL;
//   status = tenon_plugin_load("./libmine.so", &plugin);
//   if (status) return status;
//   printf("%s %s\n", tenon_plugin_name(plugin), tenon_plugin_version(plugin));
//   status = tenon_plugin_unload(plugin, 1000000000);

TENON_BEGIN_DECLS

/* Sanitizers that a plugin or the library may be built with. They must agree. */
#define TENON_SANITIZER_NONE 0u
#define TENON_SANITIZER_ADDRESS 1u
#define TENON_SANITIZER_THREAD 2u
#define TENON_SANITIZER_MEMORY 3u

/* The build's sanitizer, for the descriptor. */
#if defined(__SANITIZE_ADDRESS__)
#define TENON_SANITIZER_CURRENT TENON_SANITIZER_ADDRESS
#elif defined(__SANITIZE_THREAD__)
#define TENON_SANITIZER_CURRENT TENON_SANITIZER_THREAD
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TENON_SANITIZER_CURRENT TENON_SANITIZER_ADDRESS
#elif __has_feature(thread_sanitizer)
#define TENON_SANITIZER_CURRENT TENON_SANITIZER_THREAD
#elif __has_feature(memory_sanitizer)
#define TENON_SANITIZER_CURRENT TENON_SANITIZER_MEMORY
#else
#define TENON_SANITIZER_CURRENT TENON_SANITIZER_NONE
#endif
#else
#define TENON_SANITIZER_CURRENT TENON_SANITIZER_NONE
#endif

/* What a plugin says of itself, in read-only memory. */
typedef struct tenon_plugin_descriptor {
  uint32_t struct_size; /* sizeof(tenon_plugin_descriptor) */
  uint32_t abi_version; /* TENON_ABI_VERSION that it was built against */
  const char* name;     /* unique, such as "tenon_cpu" */
  const char* version;
  const char* build_id; /* free text; "" if none */
  uint32_t sanitizer;   /* TENON_SANITIZER_CURRENT */
  uint32_t requirement_count;
  const char* const* requirements; /* names of plugins to load first */
  /* Opens libraries and registers. `out_state` goes to unload. When it fails, the host closes the
   * libraries that it opened on this thread and drains them, for a second at most; unload is not
   * called, and the name is free again. It releases its own handles. */
  tenon_status (*load)(tenon_plugin* self, void** out_state);
  /* Closes its libraries. The file stays mapped. NULL when it cannot be unloaded. */
  void (*unload)(void* state);
  uint64_t reserved[4]; /* zero */
} tenon_plugin_descriptor;

/* The one function that a plugin exports: `tenon_plugin_query`. Free of side effects. Returns its
 * descriptor, or NULL when it cannot serve a host of these ABI versions. */
#define TENON_PLUGIN_QUERY_NAME "tenon_plugin_query"
typedef const tenon_plugin_descriptor* (*tenon_plugin_query_fn)(uint32_t host_abi_min,
                                                                uint32_t host_abi_max);

/// Loads a plugin from a path, or finds "name" as lib<name>.so beside libtenon and on
/// TENON_PLUGIN_PATH. Loading a loaded plugin returns it; an unloaded one is loaded again.
///
/// Errors:    TENON_ERROR_NOT_FOUND when there is no such file, TENON_ERROR_SYSTEM when the loader
///            refuses it, TENON_ERROR_ABI for another ABI or sanitizer, what its load raised,
///            TENON_ERROR_INVALID_ARGUMENT for an empty name, TENON_ERROR_ALREADY_EXISTS for a
///            second file of one name (unless the first one's load failed), TENON_ERROR_STATE for
///            requirements in a circle.
/// Ownership: the handle is valid for ever.
/// Threads:   any thread; *blocks*. No lock is held while the plugin's code runs.
/// Since:     0.1
TENON_API tenon_status tenon_plugin_load(const char* path_or_name, tenon_plugin** out_plugin);

/// Unloads a plugin: its unload function closes its libraries, then they are drained.
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED when it cannot be unloaded, TENON_ERROR_BUSY when kernels
///            still run after `timeout_ns` (negative = for ever), TENON_ERROR_STATE inside one of
///            its kernels.
/// Threads:   any thread; *blocks*, and runs its unload function, listeners and deleters.
/// Since:     0.1
TENON_API tenon_status tenon_plugin_unload(tenon_plugin* plugin, int64_t timeout_ns);

/// Returns the plugin's name.
///
/// Ownership: valid for ever.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_plugin_name(const tenon_plugin* plugin);

/// Returns the plugin's version text.
///
/// Ownership: valid for ever.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_plugin_version(const tenon_plugin* plugin);

/// Returns the file it was loaded from.
///
/// Ownership: valid for ever.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_plugin_path(const tenon_plugin* plugin);

/// Tells whether the plugin is loaded now: 1 or 0.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_plugin_is_loaded(const tenon_plugin* plugin);

TENON_END_DECLS

#endif /* TENON_PLUGIN_H */
