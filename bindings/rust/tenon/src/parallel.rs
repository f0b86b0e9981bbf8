// SPDX-License-Identifier: Apache-2.0
//! Parallel loops on the thread pool of all kernels of the process.

use std::ffi::c_void;
use std::ops::Range;
use std::panic::{catch_unwind, AssertUnwindSafe};

use tenon_sys as sys;

use crate::error::{check, Error, Result};

/// Calls `body` for chunks of `grain` numbers from 0 to `count`, on several threads at once, and
/// returns when all are done. A single chunk runs on the calling thread.
///
/// The chunks do not depend on the number of threads, and neither do results that are computed per
/// chunk. Inside another parallel loop, and while another thread's loop runs, all work is done on
/// the calling thread.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// let sum = AtomicUsize::new(0);
/// tenon::parallel::for_each(1000, 64, |numbers| {
///     sum.fetch_add(numbers.sum(), Ordering::Relaxed);
///     Ok(())
/// })?;
/// assert_eq!(sum.into_inner(), 499_500);
/// # Ok::<(), tenon::Error>(())
/// ```
///
/// # Errors
/// The error that `body` returned for the first chunk that failed
/// ([`Status::FOREIGN`](crate::Status::FOREIGN) for a panic); later chunks may not have been run
/// then. [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for a `grain` of 0.
pub fn for_each<F>(count: usize, grain: usize, body: F) -> Result<()>
where
    F: Fn(Range<usize>) -> Result<()> + Sync,
{
    let ctx = (&body as *const F).cast_mut().cast::<c_void>();
    // SAFETY: parallel.h: the function is called during this call only, with `ctx`, which is the
    // body; it is Sync, so several threads may share it.
    check(unsafe {
        sys::tenon_parallel_for(as_i64(count), as_i64(grain), Some(run_chunk::<F>), ctx)
    })
}

/// Returns the number of threads that work on a loop, including the calling thread.
pub fn num_threads() -> usize {
    // SAFETY: parallel.h: any thread.
    usize::try_from(unsafe { sys::tenon_parallel_get_threads() }).unwrap_or(1)
}

/// Sets the number of threads that work on a loop; 0 restores the default, which is the variable
/// TENON_NUM_THREADS or, if that is not set, the number of processors.
///
/// # Errors
/// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) above 256.
pub fn set_num_threads(count: usize) -> Result<()> {
    let count = i32::try_from(count).unwrap_or(i32::MAX);
    // SAFETY: parallel.h: any thread.
    check(unsafe { sys::tenon_parallel_set_threads(count) })
}

fn as_i64(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

unsafe extern "C" fn run_chunk<F>(ctx: *mut c_void, begin: i64, end: i64) -> sys::tenon_status
where
    F: Fn(Range<usize>) -> Result<()> + Sync,
{
    // SAFETY: `for_each` passes its body, which lives until the call ends.
    let body = unsafe { &*ctx.cast::<F>() };
    // Both come from a usize.
    let range = begin as usize..end as usize;
    let outcome = catch_unwind(AssertUnwindSafe(|| body(range)));
    let error = match outcome {
        Ok(Ok(())) => return 0,
        Ok(Err(error)) => error,
        Err(panic) => Error::from_panic(panic),
    };
    error.leave()
}
