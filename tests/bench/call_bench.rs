// SPDX-License-Identifier: Apache-2.0
//! The call path from Rust, each beside the same thing done through the C interface by hand.
//!
//! `cargo bench -p tenon` prints nanoseconds a call, the least of many short runs; with `-- --json`
//! as Google Benchmark writes them.

use std::ffi::{c_void, CString};
use std::hint::black_box;
use std::time::Instant;

use tenon::{sys, DispatchKey, Error, KernelContext, Library, Op, Status, Tensor, ValueRef};

/// Least time of a call in nanoseconds over 30 runs of about 5 ms.
fn measure(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..1000 {
        call();
    }
    let count = (5e9 / start.elapsed().as_nanos().max(1000) as f64) as u64 + 1;
    let mut least = f64::INFINITY;
    for _ in 0..30 {
        let start = Instant::now();
        for _ in 0..count {
            call();
        }
        least = least.min(start.elapsed().as_secs_f64() * 1e9 / count as f64);
    }
    least
}

unsafe extern "C" fn boxed_noop(
    _: *mut c_void,
    _: *const sys::tenon_op,
    _: sys::tenon_keyset,
    _: *mut sys::tenon_stack,
) -> sys::tenon_status {
    0
}

unsafe extern "C" fn typed_noop(
    _: *const sys::tenon_frame,
    a: *mut sys::tenon_tensor,
    b: *mut sys::tenon_tensor,
) -> sys::tenon_status {
    black_box((a, b));
    0
}

const TT: u64 = {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let text = b"TT>";
    let mut at = 0;
    while at < text.len() {
        hash = (hash ^ text[at] as u64).wrapping_mul(0x100_0000_01b3);
        at += 1;
    }
    hash
};

/// Registers kernels that are plain C functions.
fn register_c(library: *mut sys::tenon_library, name: &str, typed: bool) {
    let name = CString::new(name).unwrap();
    unsafe {
        let mut kernel: sys::tenon_kernel = std::mem::zeroed();
        kernel.struct_size = std::mem::size_of::<sys::tenon_kernel>() as u32;
        kernel.language = sys::TENON_LANGUAGE_C;
        kernel.boxed = Some(boxed_noop);
        if typed {
            let function: unsafe extern "C" fn(_, _, _) -> _ = typed_noop;
            kernel.typed = Some(std::mem::transmute::<
                unsafe extern "C" fn(
                    *const sys::tenon_frame,
                    *mut sys::tenon_tensor,
                    *mut sys::tenon_tensor,
                ) -> i32,
                unsafe extern "C" fn(),
            >(function));
            kernel.signature = TT;
        }
        let key = sys::TENON_KEY_CPU;
        let status =
            sys::tenon_library_impl(library, name.as_ptr(), key, &kernel, std::ptr::null_mut());
        assert_eq!(status, 0);
    }
}

fn main() {
    let library = Library::define_namespace("rust_bench").unwrap();
    let define = |text: &str| library.define(text).unwrap();
    let c_boxed = define("c_boxed(Tensor a, Tensor b) -> ()");
    let c_typed = define("c_typed(Tensor a, Tensor b) -> ()");
    let closure = define("closure(Tensor a, Tensor b) -> ()");
    let first = define("first(Tensor a, Tensor b) -> Tensor");
    let values = define("values(Tensor a, Tensor b) -> Tensor");
    let fails = define("fails(Tensor a) -> ()");
    let layered = define("layered(Tensor a, Tensor b) -> ()");
    let own = unsafe {
        let (namespace, mut own) = (CString::new("rust_bench").unwrap(), std::ptr::null_mut());
        let kind = sys::TENON_LIBRARY_IMPL;
        let (key, file) = (sys::TENON_KEY_NONE, std::ptr::null());
        let status = sys::tenon_library_new(kind, namespace.as_ptr(), key, file, 0, &mut own);
        assert_eq!(status, 0);
        own
    };
    register_c(own, "c_boxed", false);
    register_c(own, "c_typed", true);
    library
        .impl_fn("closure", DispatchKey::CPU, |a: &Tensor, b: &Tensor| {
            black_box((a.as_raw(), b.as_raw()));
        })
        .unwrap();
    library
        .impl_fn("first", DispatchKey::CPU, |a: &Tensor, _: &Tensor| {
            a.clone()
        })
        .unwrap();
    library
        .impl_boxed(
            "values",
            DispatchKey::CPU,
            |_: &KernelContext, args: &[ValueRef]| Ok(vec![args[0].to_value()?]),
        )
        .unwrap();
    library
        .impl_fn(
            "fails",
            DispatchKey::CPU,
            |_: &Tensor| -> tenon::Result<()> { Err(Error::new(Status::INDEX, "as asked")) },
        )
        .unwrap();
    register_c(own, "layered", false);
    let layer = tenon::Kernel::on_stack(|stack| {
        let keys = stack.keys_below(DispatchKey::AUTOGRAD_CPU);
        stack.redispatch(keys)
    });
    library
        .impl_kernel("layered", DispatchKey::AUTOGRAD, layer)
        .unwrap();

    let (a, b) = (
        Tensor::scalar(1.0f32).unwrap(),
        Tensor::scalar(2.0f32).unwrap(),
    );
    let mut rows: Vec<(&str, f64)> = Vec::new();
    let mut row = |name: &'static str, time: f64| rows.push((name, time));

    let by_hand =
        |op: Op, call: unsafe extern "C" fn(*const sys::tenon_op, *mut sys::tenon_stack) -> i32| {
            let op = op.as_raw();
            let tensor = |tensor: &Tensor| sys::tenon_value {
                tag: sys::TENON_TAG_TENSOR as u16,
                flags: 0,
                count: 0,
                as_: sys::tenon_payload {
                    tensor: tensor.as_raw(),
                },
            };
            let mut args = [tensor(&a), tensor(&b)];
            measure(|| unsafe {
                let mut stack = sys::tenon_stack {
                    args: args.as_mut_ptr(),
                    rets: std::ptr::null_mut(),
                    nargs: 2,
                    nrets: 0,
                    error: std::ptr::null_mut(),
                    reserved: [0; 2],
                };
                assert_eq!(call(op, &mut stack), 0);
            })
        };
    let typed_by_hand = |op: Op| {
        let op = op.as_raw();
        measure(|| unsafe {
            let mut frame = std::mem::MaybeUninit::<sys::tenon_frame>::uninit();
            let entry = sys::tenon_op_begin2(op, a.as_raw(), b.as_raw(), frame.as_mut_ptr());
            assert!((*entry).signature == TT);
            let function: unsafe extern "C" fn(
                *const sys::tenon_frame,
                *mut sys::tenon_tensor,
                *mut sys::tenon_tensor,
            ) -> i32 = std::mem::transmute((*entry).typed.unwrap());
            assert_eq!(function(frame.as_ptr(), a.as_raw(), b.as_raw()), 0);
            let frame = frame.assume_init();
            let word = &*frame
                .leave_word
                .cast::<std::sync::atomic::AtomicPtr<c_void>>();
            word.store(frame.leave_value, std::sync::atomic::Ordering::Release);
        })
    };

    row(
        "c/boxed_call_c_kernel",
        by_hand(c_boxed, sys::tenon_op_call),
    );
    row(
        "c/boxed_checked_call_c_kernel",
        by_hand(c_boxed, sys::tenon_op_call_checked),
    );
    row(
        "c/boxed_call_closure_kernel",
        by_hand(closure, sys::tenon_op_call),
    );
    row(
        "c/boxed_call_one_redispatch_in_rust",
        by_hand(layered, sys::tenon_op_call),
    );
    row("c/typed_call_c_kernel", typed_by_hand(c_typed));
    row("c/typed_call_closure_kernel", typed_by_hand(closure));

    row(
        "rust/boxed_call_c_kernel",
        measure(|| c_boxed.call((&a, &b)).unwrap()),
    );
    row(
        "rust/boxed_call_closure_kernel",
        measure(|| closure.call((&a, &b)).unwrap()),
    );
    let typed = c_typed.typed::<(&Tensor, &Tensor), ()>().unwrap();
    row(
        "rust/typed_call_c_kernel",
        measure(|| typed.call(&a, &b).unwrap()),
    );
    let typed = closure.typed::<(&Tensor, &Tensor), ()>().unwrap();
    row(
        "rust/typed_call_closure_kernel",
        measure(|| typed.call(&a, &b).unwrap()),
    );
    let typed = c_boxed.typed::<(&Tensor, &Tensor), ()>().unwrap();
    row(
        "rust/typed_call_boxed_kernel",
        measure(|| typed.call(&a, &b).unwrap()),
    );
    let typed = first.typed::<(&Tensor, &Tensor), Tensor>().unwrap();
    row(
        "rust/typed_call_returning_argument",
        measure(|| drop(typed.call(&a, &b).unwrap())),
    );
    row(
        "rust/boxed_call_returning_argument",
        measure(|| drop(first.call::<Tensor>((&a, &b)).unwrap())),
    );
    row(
        "rust/boxed_call_values_kernel",
        measure(|| drop(values.call::<Tensor>((&a, &b)).unwrap())),
    );
    row(
        "rust/clone_and_drop_tensor",
        measure(|| drop(black_box(a.clone()))),
    );
    row(
        "rust/make_and_drop_tensor",
        measure(|| drop(Tensor::scalar(1.0f32).unwrap())),
    );
    row(
        "rust/error_raised_and_dropped",
        measure(|| drop(fails.call::<()>((&a,)).unwrap_err())),
    );
    row(
        "rust/find_operator",
        measure(|| {
            black_box(Op::find("rust_bench::closure").unwrap());
        }),
    );
    unsafe { sys::tenon_library_release(own) };

    if std::env::args().any(|argument| argument == "--json") {
        let one = |(name, time): &(&str, f64)| {
            format!(r#"    {{"name": "{name}", "cpu_time": {time:.3}, "time_unit": "ns"}}"#)
        };
        let all: Vec<String> = rows.iter().map(one).collect();
        println!("{{\n  \"benchmarks\": [\n{}\n  ]\n}}", all.join(",\n"));
    } else {
        rows.iter()
            .for_each(|(name, time)| println!("{name:<42} {time:9.2} ns"));
    }
}
