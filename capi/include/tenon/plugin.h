/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins: shared libraries that register operators and kernels, found by one query function. */
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

/* Sanitizers that a plugin or the library may be built with. Both must use the same one. */
#define TENON_SANITIZER_NONE 0u
#define TENON_SANITIZER_ADDRESS 1u
#define TENON_SANITIZER_THREAD 2u
#define TENON_SANITIZER_MEMORY 3u

/* The sanitizer of the current build, for the descriptor. */
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

/* Describes a plugin, in its read-only memory. */
typedef struct tenon_plugin_descriptor {
  uint32_t struct_size; /* sizeof(tenon_plugin_descriptor) */
  uint32_t abi_version; /* the TENON_ABI_VERSION that it was built with */
  const char* name;     /* unique, such as "tenon_cpu" */
  const char* version;
  const char* build_id; /* free text; "" if none */
  uint32_t sanitizer;   /* TENON_SANITIZER_CURRENT */
  uint32_t requirement_count;
  const char* const* requirements; /* names of plugins to load first */
  /* Opens libraries and registers. `out_state` is passed to `unload`. If it fails, the host closes
   * the libraries that it opened on this thread and drains them, for at most one second. `unload`
   * is not called, and the plugin's name may be used again. `load` releases its own handles. */
  tenon_status (*load)(tenon_plugin* self, void** out_state);
  /* Closes the plugin's libraries. The file stays mapped. NULL if it cannot be unloaded. */
  void (*unload)(void* state);
  uint64_t reserved[4]; /* zero */
} tenon_plugin_descriptor;

/* The only function that a plugin must export: `tenon_plugin_query`. It has no side effects. It
 * returns the plugin's descriptor, or NULL if the plugin does not support a host of these ABI
 * versions. */
#define TENON_PLUGIN_QUERY_NAME "tenon_plugin_query"
typedef const tenon_plugin_descriptor* (*tenon_plugin_query_fn)(uint32_t host_abi_min,
                                                                uint32_t host_abi_max);

/// Loads a plugin from a path. A plain "name" is found as lib<name>.so beside libtenon or on
/// TENON_PLUGIN_PATH. If the plugin is already loaded, it is returned; after it was unloaded, it is
/// loaded again.
///
/// Errors:    TENON_ERROR_NOT_FOUND if there is no such file, TENON_ERROR_SYSTEM if the loader
///            refuses it, TENON_ERROR_ABI for another ABI or sanitizer, what its load raised,
///            TENON_ERROR_INVALID_ARGUMENT for an empty name, TENON_ERROR_ALREADY_EXISTS for a
///            second file of one name (unless the first one's load failed), TENON_ERROR_STATE for
///            circular requirements.
/// Ownership: the handle is never freed.
/// Threads:   any thread; *blocks*. No lock is held while the plugin's code runs.
/// Since:     0.1
TENON_API tenon_status tenon_plugin_load(const char* path_or_name, tenon_plugin** out_plugin);

/// Unloads a plugin: runs its unload function, which closes its libraries, and drains them.
///
/// Errors:    TENON_ERROR_NOT_SUPPORTED if it cannot be unloaded, TENON_ERROR_BUSY if kernels still
///            run after `timeout_ns` (negative = no limit), TENON_ERROR_STATE inside one of its
///            kernels.
/// Threads:   any thread; *blocks*, and runs its unload function, listeners and deleters.
/// Since:     0.1
TENON_API tenon_status tenon_plugin_unload(tenon_plugin* plugin, int64_t timeout_ns);

/// Returns the plugin's name.
///
/// Ownership: never freed.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_plugin_name(const tenon_plugin* plugin);

/// Returns the plugin's version text.
///
/// Ownership: never freed.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_plugin_version(const tenon_plugin* plugin);

/// Returns the path of the file that the plugin was loaded from.
///
/// Ownership: never freed.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_plugin_path(const tenon_plugin* plugin);

/// Returns 1 if the plugin is loaded now, otherwise 0.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_plugin_is_loaded(const tenon_plugin* plugin);

TENON_END_DECLS

#endif /* TENON_PLUGIN_H */
