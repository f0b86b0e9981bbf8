// SPDX-License-Identifier: Apache-2.0
// Starts Python and Java inside a C process, so that one program has all languages.
#ifndef POLYGLOT_H
#define POLYGLOT_H

#include <tenon/tenon.h>

// Starts CPython with `path` (colon-separated folders) in front of sys.path and imports `module`,
// which registers operators. The interpreter lock is released on return.
tenon_status polyglot_start_python(const char* path, const char* module);

// Starts a Java VM with `classpath` and calls `static void register()` of `class_name` (with
// slashes), which registers operators. `library_path` is the folder of libtenon_java.so.
tenon_status polyglot_start_java(const char* classpath, const char* library_path,
                                 const char* class_name);

// Calls `static void unregister()` of `class_name`, then ends the Java VM.
tenon_status polyglot_stop_java(const char* class_name);

// Calls `unregister()` of `module`, then ends CPython.
tenon_status polyglot_stop_python(const char* module);

// Calls an operator that takes one string and returns nothing, such as "matrix_java::define".
tenon_status polyglot_call_text(const char* op_name, const char* text);

// Prints the calling thread's error after `what`, and clears it.
void polyglot_print_error(const char* what);

#endif
