/* SPDX-License-Identifier: Apache-2.0 */
/* The script by which a fuzz target controls a plugin, and the plugin's counters. */
#ifndef TESTS_FUZZ_PLUGIN_SCRIPT_H
#define TESTS_FUZZ_PLUGIN_SCRIPT_H

typedef struct tenon_plugin_script {
  int fail;               /* load fails after registering */
  int fail_silently;      /* ... without an error in the slot */
  const char* load_again; /* load asks for this plugin while it runs; may be NULL */
  int loads;
  int unloads;
  const char* op_name; /* the operator that load defines; never changes */
} tenon_plugin_script;

#endif
