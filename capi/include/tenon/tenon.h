/* SPDX-License-Identifier: Apache-2.0 */
/* All of Tenon's C interface, and the page of law that every function obeys.
 *
 * Ownership  Handles are incomplete structs. Refcounted ones have retain and release: atomic, NULL
 *            is accepted, any thread, never failing; elsewhere no handle or out_x is NULL unless
 *            said. Functions named new, copy, take, open, wrap or from give a new reference; get,
 *            peek and nouns borrow until the stated parent dies. What Tenon allocates, Tenon frees.
 * Outputs    Parameters named out_x come last, are cleared on entry and filled on success only.
 * Numbers    Counts, sizes and indices are int64_t in functions, uint32_t in open structs (int32_t
 *            for numbers of dims there); truths are int32_t as results, uint32_t in structs.
 * Contracts  A line that a contract lacks says: no error (Errors), nothing changes hands
 *            (Ownership). Every release may run deleters and drops of other languages.
 * Errors     Fallible functions return tenon_status, 0 for success. On failure an owned error waits
 *            in the calling thread's slot: tenon_error_take. Success never touches the slot. A
 *            kernel puts its error into its stack or frame, or into the slot; the outermost call
 *            moves it to the slot. Nothing is thrown across, printed or aborted.
 * Threads    Each contract says: any thread, owner thread or init only, and *blocks* where it may
 *            wait: drop your language's lock before calling those.
 * Callbacks  fn(ctx, ...) plus a deleter that runs exactly once, also when registration fails. No
 *            lock is held while one runs. Texts are UTF-8, and end at the first
 *            NUL where no size is given.
 * Structs    Values, stacks, frames, entries and plain descriptions are fixed per ABI major. The
 *            others begin with struct_size, set by the caller: shorter is an older caller, who gets
 *            or gives as much as it knows; a longer one's unknown tail must be zero. Reserved words
 *            are zero. Zero a struct before you fill it. */
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
