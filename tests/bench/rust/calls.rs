// SPDX-License-Identifier: Apache-2.0
//! The call path from Rust under Criterion: each row `rust/...` with the same call written by hand,
//! `c/...`.

use std::hint::black_box;

use criterion::{criterion_group, criterion_main};
use tenon::{
    sys, DispatchKey, Error, Kernel, KernelContext, Library, Op, Status, Tensor, ValueRef,
};
use tenon_bench::by_hand::{call_add, call_typed, BoxedCall, BoxedPair, CLibrary};
use tenon_bench::thread_time::ThreadTime;

type Criterion = criterion::Criterion<ThreadTime>;

/// Operators of two tensors, and the kernels that serve them.
struct Operators {
    library: Library,
    by_hand: CLibrary,
    a: Tensor,
    b: Tensor,
}

impl Operators {
    fn new() -> tenon::Result<Operators> {
        let library = Library::define_namespace("rust_bench")?;
        let by_hand = CLibrary::new("rust_bench");
        for name in ["c_boxed", "c_typed", "closure", "layered", "typed_layered"] {
            library.define(&format!("{name}(Tensor a, Tensor b) -> ()"))?;
        }
        for name in ["first", "values"] {
            library.define(&format!("{name}(Tensor a, Tensor b) -> Tensor"))?;
        }
        library.define("fails(Tensor a) -> ()")?;
        library.define("number(int a) -> int")?;
        library.define("four(Tensor a, Tensor b, Tensor c, Tensor d) -> ()")?;

        by_hand.noop("c_boxed", false);
        by_hand.noop("c_typed", true);
        by_hand.noop("layered", false);
        by_hand.noop("typed_layered", true);
        library.impl_fn("closure", DispatchKey::CPU, |a: &Tensor, b: &Tensor| {
            black_box((a.as_raw(), b.as_raw()));
        })?;
        library.impl_fn("first", DispatchKey::CPU, |a: &Tensor, _: &Tensor| {
            a.clone()
        })?;
        library.impl_fn(
            "four",
            DispatchKey::CPU,
            |a: &Tensor, _: &Tensor, _: &Tensor, d: &Tensor| {
                black_box((a.as_raw(), d.as_raw()));
            },
        )?;
        library.impl_fn(
            "number",
            DispatchKey::COMPOSITE_EXPLICIT_AUTOGRAD,
            |a: i64| a + 1,
        )?;
        library.impl_boxed(
            "values",
            DispatchKey::CPU,
            |_: &KernelContext, args: &[ValueRef]| Ok(vec![args[0].to_value()?]),
        )?;
        library.impl_fn(
            "fails",
            DispatchKey::CPU,
            |_: &Tensor| -> tenon::Result<()> { Err(Error::new(Status::INDEX, "as asked")) },
        )?;
        let layer = Kernel::on_stack(|stack| {
            let keys = stack.keys_below(DispatchKey::AUTOGRAD_CPU);
            stack.redispatch(keys)
        });
        library.impl_kernel("layered", DispatchKey::AUTOGRAD, layer)?;
        let (a, b) = (Tensor::scalar(1.0f32)?, Tensor::scalar(2.0f32)?);
        Ok(Operators {
            library,
            by_hand,
            a,
            b,
        })
    }

    fn find(name: &str) -> Op {
        Op::find(&format!("rust_bench::{name}")).expect("defined above")
    }
}

fn by_hand(criterion: &mut Criterion, operators: &Operators) {
    let mut pair = BoxedPair::new(&operators.a, &operators.b);
    let (boxed, checked) = (sys::tenon_op_call_fast, sys::tenon_op_call);
    let mut row = |name: &str, op: &str, function: BoxedCall| {
        let op = Operators::find(op);
        criterion.bench_function(&format!("c/{name}"), |b| {
            b.iter(|| pair.call(op, function));
        });
    };
    row("boxed_call_c_kernel", "c_boxed", boxed);
    row("boxed_checked_call_c_kernel", "c_boxed", checked);
    row("boxed_call_closure_kernel", "closure", boxed);
    row("boxed_call_one_redispatch_in_rust", "layered", boxed);
    for (name, op) in [("c_kernel", "c_typed"), ("closure_kernel", "closure")] {
        let op = Operators::find(op);
        criterion.bench_function(&format!("c/typed_call_{name}"), |b| {
            let (x, y) = (&operators.a, &operators.b);
            b.iter(move || call_typed(op, black_box(x), black_box(y)));
        });
    }
}

fn typed(criterion: &mut Criterion, operators: &Operators) -> tenon::Result<()> {
    let (a, b) = (&operators.a, &operators.b);
    for (name, op) in [
        ("c_kernel", "c_typed"),
        ("closure_kernel", "closure"),
        ("boxed_kernel", "c_boxed"),
    ] {
        let op = Operators::find(op).typed::<(&Tensor, &Tensor), ()>()?;
        criterion.bench_function(&format!("rust/typed_call_{name}"), |bench| {
            bench.iter(move || op.call(black_box(a), black_box(b)).unwrap());
        });
    }
    let first = Operators::find("first").typed::<(&Tensor, &Tensor), Tensor>()?;
    criterion.bench_function("rust/typed_call_returning_argument", |bench| {
        bench.iter(move || drop(first.call(a, b).unwrap()));
    });
    let number = Operators::find("number").typed::<(i64,), i64>()?;
    criterion.bench_function("rust/typed_call_number", |bench| {
        bench.iter(move || number.call(black_box(1)).unwrap());
    });
    let four = Operators::find("four").typed::<(&Tensor, &Tensor, &Tensor, &Tensor), ()>()?;
    criterion.bench_function("rust/typed_call_4_tensors", |bench| {
        bench.iter(move || four.call(a, b, a, b).unwrap());
    });
    Ok(())
}

fn boxed(criterion: &mut Criterion, operators: &Operators) {
    let (a, b) = (&operators.a, &operators.b);
    for (name, op) in [("c_kernel", "c_boxed"), ("closure_kernel", "closure")] {
        let op = Operators::find(op);
        criterion.bench_function(&format!("rust/boxed_call_{name}"), |bench| {
            bench.iter(move || op.call::<()>((a, b)).unwrap());
        });
    }
    for (name, op) in [("returning_argument", "first"), ("values_kernel", "values")] {
        let op = Operators::find(op);
        criterion.bench_function(&format!("rust/boxed_call_{name}"), |bench| {
            bench.iter(move || drop(op.call::<Tensor>((a, b)).unwrap()));
        });
    }
    let fails = Operators::find("fails");
    criterion.bench_function("rust/error_raised_and_dropped", |bench| {
        bench.iter(move || drop(fails.call::<()>((a,)).unwrap_err()));
    });
}

/// The operators of the crate's own methods; `alpha` of `add` has a default.
fn arithmetic(criterion: &mut Criterion, operators: &Operators) -> tenon::Result<()> {
    let (a, b) = (&operators.a, &operators.b);
    let (add, alpha) = (Op::find("aten::add.Tensor")?, tenon::args![1]);
    criterion.bench_function("c/add_1_element", |bench| {
        bench.iter(|| call_add(add, black_box(a), black_box(b), alpha[0].as_raw()));
    });
    criterion.bench_function("rust/add_1_element", |bench| {
        bench.iter(|| drop((black_box(a) + black_box(b)).unwrap()));
    });
    criterion.bench_function("rust/boxed_add_default_left_out", |bench| {
        bench.iter(|| drop(add.call::<Tensor>((black_box(a), black_box(b))).unwrap()));
    });
    Ok(())
}

fn objects(criterion: &mut Criterion, operators: &Operators) {
    criterion.bench_function("rust/clone_and_drop_tensor", |bench| {
        bench.iter(|| drop(black_box(operators.a.clone())));
    });
    criterion.bench_function("rust/make_and_drop_tensor", |bench| {
        bench.iter(|| drop(Tensor::scalar(1.0f32).unwrap()));
    });
    criterion.bench_function("rust/find_operator", |bench| {
        bench.iter(|| black_box(Op::find("rust_bench::closure").unwrap()));
    });
}

fn calls(criterion: &mut Criterion) {
    let operators = Operators::new().expect("operators of the benchmark");
    by_hand(criterion, &operators);
    typed(criterion, &operators).expect("types of the benchmark's operators");
    boxed(criterion, &operators);
    arithmetic(criterion, &operators).expect("operators of libtenon_cpu");
    objects(criterion, &operators);
    drop((operators.by_hand, operators.library));
}

criterion_group! {
    name = benches;
    config = criterion::Criterion::default().with_measurement(ThreadTime);
    targets = calls
}
criterion_main!(benches);
