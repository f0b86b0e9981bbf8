/* SPDX-License-Identifier: Apache-2.0 */
/* All of Tenon's C interface, and the rules that every function follows.
 *
 * Ownership  Handles are incomplete structs. Refcounted handles have retain and release functions,
 *            which are atomic, accept NULL, may be called on any thread and never fail. Otherwise
 *            no handle and no out_x may be NULL unless the contract says so. Functions named new,
 *            copy, take, open, wrap or from return a new reference. Functions named get or peek, or
 *            with a noun, return a borrowed pointer that is valid until the stated parent dies.
 *            Memory that Tenon allocates is freed by Tenon.
 * Outputs    Parameters named out_x come last. They are cleared on entry and set on success only.
 * Numbers    Counts, sizes and indices are int64_t in functions and uint32_t in open structs
 *            (int32_t for numbers of dims). Booleans are int32_t as results, uint32_t in structs.
 * Contracts  A function without an Errors line cannot fail. One without an Ownership line transfers
 *            no ownership. Every release may run deleters and drop functions of other languages.
 * Errors     Fallible functions return tenon_status, 0 for success. A failure leaves an owned error
 *            in the calling thread's slot, where tenon_error_take finds it. A success never changes
 *            the slot. A kernel puts its error into its stack or frame, or into the slot; the
 *            outermost call moves it to the slot. Tenon throws no exception across its interface,
 *            prints nothing and never aborts the process.
 * Threads    Each contract says "any thread", "owner thread" or "init only", and *blocks* if the
 *            function may wait. Release your language's lock before you call a function that
 *            blocks.
 * Callbacks  A callback is fn(ctx, ...) with a deleter for `ctx` that runs exactly once, even if
 *            the registration fails. No lock is held while a callback runs. Texts are UTF-8 and end
 *            at the first NUL unless a size is passed.
 * Structs    The layout of values, stacks, frames, entries and plain descriptions is fixed within
 *            an ABI major. All other structs begin with struct_size, which the caller sets. A
 *            smaller struct_size comes from an older caller: only the fields that it knows are read
 *            or written. If it is larger, the unknown tail must be zero. Reserved words are zero.
 *            Zero a struct before you fill it. */
#ifndef TENON_TENON_H
#define TENON_TENON_H

// Usage:
//
//   #include <tenon/tenon.h>
//
//   status = tenon_op_find("aten::relu", &op);
//   if (!status) status = tenon_op_call_named(op, &arg, 1, NULL, NULL, 0, &ret, 1);

#include "tenon/autocast.h"
#include "tenon/autograd.h"
#include "tenon/buffer.h"
#include "tenon/check.h"
#include "tenon/common.h"
#include "tenon/device.h"
#include "tenon/device_provider.h"
#include "tenon/error.h"
#include "tenon/fake.h"
#include "tenon/forward_ad.h"
#include "tenon/frame.h"
#include "tenon/function.h"
#include "tenon/generator.h"
#include "tenon/grad_mode.h"
#include "tenon/graph.h"
#include "tenon/graph_size.h"
#include "tenon/hooks.h"
#include "tenon/introspect.h"
#include "tenon/kernel.h"
#include "tenon/key.h"
#include "tenon/key_guard.h"
#include "tenon/language.h"
#include "tenon/library.h"
#include "tenon/mode.h"
#include "tenon/object.h"
#include "tenon/op.h"
#include "tenon/opcheck.h"
#include "tenon/overrides.h"
#include "tenon/parallel.h"
#include "tenon/plugin.h"
#include "tenon/profile.h"
#include "tenon/schema.h"
#include "tenon/simulator.h"
#include "tenon/status.h"
#include "tenon/stream.h"
#include "tenon/symbol.h"
#include "tenon/tensor.h"
#include "tenon/thread.h"
#include "tenon/transforms.h"
#include "tenon/types.h"
#include "tenon/value.h"
#include "tenon/warning.h"
#include "tenon/weak_tensor.h"

#endif /* TENON_TENON_H */
