// SPDX-License-Identifier: Apache-2.0
//! Calls that allocate nothing before the kernel runs, counted by this test's allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use tenon::{DispatchKey, LazyOp, Library, Op, Tensor};

mod support;
use support::{floats, read};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, with a count of allocations per thread.
struct Counting;

// SAFETY: the system's allocator does the work; a counter without destructor is added up beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Counts allocations of `body` on this thread, after a first run that may fill caches.
fn allocations(body: impl Fn()) -> usize {
    body();
    let before = ALLOCATIONS.with(Cell::get);
    body();
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn the_allocator_counts() {
    assert_eq!(allocations(|| drop(Box::new([0u8; 32]))), 1);
    assert_eq!(allocations(|| ()), 0);
}

#[test]
fn arithmetic_with_a_default_left_out_allocates_nothing() {
    static ADD: LazyOp = LazyOp::new("aten::add.Tensor");
    if ADD.get().is_err() && std::env::var_os("TENON_BUILD_DIR").is_none() {
        eprintln!("skipped: no libtenon_cpu beside libtenon");
        return;
    }
    let (x, y) = (floats(&[1.0, 2.0]), floats(&[10.0, 20.0]));
    assert_eq!(allocations(|| drop((&x + &y).unwrap())), 0);
    assert_eq!(allocations(|| drop((&x - &y).unwrap())), 0);
    assert_eq!(allocations(|| drop((&x * 2.5).unwrap())), 0);
    assert_eq!(allocations(|| drop((-&x).unwrap())), 0);
    assert_eq!(allocations(|| drop(x.exp().unwrap())), 0);
    assert_eq!(read(&(&y - &x).unwrap()), [9.0, 18.0]);
}

#[test]
fn a_call_that_leaves_defaults_out_allocates_nothing() {
    let library = Library::define_namespace("allocation_default").unwrap();
    library
        .define("f(Tensor x, int n=3, *, float scale=2.0, int[] sizes=[4, 5]) -> float")
        .unwrap();
    let sum = |_: &Tensor, n: i64, scale: f64, sizes: &[i64]| {
        n as f64 * scale + sizes.iter().sum::<i64>() as f64
    };
    library.impl_fn("f", DispatchKey::CPU, sum).unwrap();
    let op = Op::find("allocation_default::f").unwrap();
    let x = floats(&[1.0]);
    assert_eq!(op.call::<f64>((&x,)).unwrap(), 15.0);
    assert_eq!(op.call::<f64>((&x, 5)).unwrap(), 19.0);
    assert_eq!(allocations(|| drop(op.call::<f64>((&x,)))), 0);
    assert_eq!(allocations(|| drop(op.call::<f64>((&x, 5)))), 0);
}
