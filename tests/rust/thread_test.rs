// SPDX-License-Identifier: Apache-2.0
//! Calls, registrations and closing from many threads at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;

use tenon::{
    DispatchKey, Error, Generator, Library, Object, Op, Plugin, Schema, Status, Tensor, Value,
};

use crate::support::floats;

fn shared<T: Send + Sync>() {}
fn movable<T: Send>() {}

#[test]
fn handles_cross_threads() {
    shared::<Tensor>();
    shared::<Value>();
    shared::<Object>();
    shared::<Generator>();
    shared::<Error>();
    shared::<Schema>();
    shared::<Op>();
    shared::<Library>();
    shared::<Plugin>();
    shared::<tenon::ThreadState>();
    shared::<tenon::TypedOp<(&Tensor,), Tensor>>();
    movable::<tenon::Kernel>();
}

#[test]
fn many_threads_call_while_kernels_change() {
    let library = Library::define_namespace("thread_change").unwrap();
    let op = library.define("f(Tensor x, int n) -> int").unwrap();
    library
        .impl_fn("f", DispatchKey::CPU, |_: &Tensor, n: i64| n)
        .unwrap();
    let (stop, calls) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
    );
    let threads: Vec<_> = (0..4)
        .map(|index| {
            let (stop, calls) = (stop.clone(), calls.clone());
            std::thread::spawn(move || {
                let x = floats(&[1.0]);
                let typed = op.typed::<(&Tensor, i64), i64>().unwrap();
                while !stop.load(Ordering::Relaxed) {
                    let got = if index % 2 == 0 {
                        op.call::<i64>((&x, 7)).unwrap()
                    } else {
                        typed.call(&x, 7).unwrap()
                    };
                    assert!(got == 7 || got == 70, "{got}");
                    calls.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    for _ in 0..200 {
        let factor = Arc::new(10i64);
        let held = factor.clone();
        let kernel = library
            .impl_fn("f", DispatchKey::CPU, move |_: &Tensor, n: i64| *held * n)
            .unwrap();
        std::thread::yield_now();
        kernel.remove();
    }
    stop.store(true, Ordering::Relaxed);
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    assert!(calls.load(Ordering::Relaxed) > 0);
}

#[test]
fn a_library_closes_while_it_is_called() {
    for round in 0..20 {
        let library = Library::define_namespace(&format!("thread_close_{round}")).unwrap();
        let op = library.define("f(Tensor x) -> Tensor").unwrap();
        let state = Arc::new(vec![round; 16]);
        let held = state.clone();
        library
            .impl_fn("f", DispatchKey::CPU, move |x: &Tensor| {
                assert_eq!(held[15], round);
                x.clone()
            })
            .unwrap();
        let callers: Vec<_> = (0..3)
            .map(|_| {
                std::thread::spawn(move || {
                    let x = floats(&[1.0]);
                    loop {
                        match op.call::<Tensor>((&x,)) {
                            Ok(y) => assert_eq!(y.as_raw(), x.as_raw()),
                            Err(error) => return error.status(),
                        }
                    }
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(1));
        library.close();
        library.drain(Some(Duration::from_secs(10))).unwrap();
        assert_eq!(Arc::strong_count(&state), 1);
        for caller in callers {
            let status = caller.join().unwrap();
            assert!(
                status == Status::NOT_FOUND || status == Status::NO_KERNEL,
                "{status:?}"
            );
        }
    }
}

#[test]
fn errors_and_tensors_move_to_other_threads() {
    let error = std::thread::spawn(|| Op::find("thread_move::nothing").unwrap_err())
        .join()
        .unwrap();
    assert_eq!(error.status(), Status::NOT_FOUND);
    let x = floats(&[1.0, 2.0]);
    let y = std::thread::spawn(move || x.clone()).join().unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [1.0, 2.0]);
}

#[test]
fn shape_is_whole_while_another_thread_resizes_an_out_argument() {
    let op = Op::find("aten::add.out").unwrap();
    let shapes: [&[i64]; 3] = [&[2, 3], &[1, 1, 2, 1, 1, 1, 3], &[5]];
    let terms = shapes.map(|shape| tenon::aten::zeros(shape).unwrap());
    let out = tenon::aten::zeros(shapes[0]).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let (shape, strides) = (out.shape(), out.strides());
                    assert!(shapes.iter().any(|known| shape == **known), "{shape:?}");
                    assert!(strides.iter().all(|stride| (1..=6).contains(stride)));
                }
            });
        }
        for round in 0..3_000 {
            let term = &terms[round % shapes.len()];
            let call = op.args().arg(term).arg(term).named("out", &out);
            call.call::<Tensor>().unwrap();
            assert_eq!(&out.shape()[..], shapes[round % shapes.len()]);
        }
        stop.store(true, Ordering::Relaxed);
    });
}
