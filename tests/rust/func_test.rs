// SPDX-License-Identifier: Apache-2.0
//! Transforms of closures: mapped, differentiated, nested in any order, and custom rules.

use std::cell::Cell;
use std::panic::{catch_unwind, AssertUnwindSafe};

use tenon::autograd::{self, BackwardCall, FunctionContext, JvpCall};
use tenon::func::{
    grad, grad_and_value_of, grad_of, hessian, hessian_of, jacfwd, jacfwd_of, jacrev, jacrev_of,
    jvp, vjp, vmap, vmap_with, Randomness, Transformed, VmapCall, VmapOptions,
};
use tenon::{
    args, aten, sys, DType, DispatchKey, Error, Library, Op, Result, Status, Tensor, Value,
    ValueRef,
};

fn vector(elements: &[f32]) -> Tensor {
    Tensor::from_slice(elements, &[elements.len() as i64]).unwrap()
}

fn matrix(elements: &[f32], rows: i64) -> Tensor {
    Tensor::from_slice(elements, &[rows, elements.len() as i64 / rows]).unwrap()
}

fn number(value: f32) -> Tensor {
    Tensor::scalar(value).unwrap()
}

#[track_caller]
fn expect(tensor: &Tensor, shape: &[i64], elements: &[f32]) {
    assert_eq!(&tensor.shape()[..], shape);
    let found = tensor.contiguous().unwrap().to_vec::<f32>().unwrap();
    assert_eq!(found.len(), elements.len());
    for (found, expected) in found.iter().zip(elements) {
        assert!((found - expected).abs() < 1e-4, "{found} for {expected}");
    }
}

#[track_caller]
fn expect_error<T>(result: Result<T>, status: Status, part: &str) {
    let error = result.err().unwrap();
    assert_eq!(error.status(), status);
    assert!(error.message().contains(part), "{error}");
}

fn no_layer_is_left() {
    // SAFETY: no precondition; NULL is no reference.
    assert!(unsafe { sys::tenon_layer_copy_innermost() }.is_null());
}

fn cube(x: &Tensor) -> Result<Tensor> {
    &(x * x)? * x
}

fn sum_of_cubes(x: &Tensor) -> Result<Tensor> {
    cube(x)?.sum()
}

// ---- vmap ---------------------------------------------------------------------------------------

#[test]
fn vmap_maps_a_function_of_one() {
    // [quote.begin vmap]
    let dot = |x: &Tensor, y: &Tensor| (x * y)?.sum();
    let x = matrix(&[1.0, 2.0, 3.0, 4.0], 2);
    let y = vector(&[10.0, 1.0]);
    let by_rows = vmap_with(dot, VmapOptions::new().in_dims(&[Some(0), None]));
    expect(&by_rows.call((&x, &y)).unwrap(), &[2], &[12.0, 34.0]);
    let by_columns = vmap_with(dot, VmapOptions::new().in_dims(&[Some(1), None]));
    expect(&by_columns.call((&x, &y)).unwrap(), &[2], &[13.0, 24.0]);
    // [quote.end]
}

#[test]
fn one_dim_is_for_all() {
    let options = VmapOptions::new().in_dims(&[Some(1)]).out_dims(&[Some(-1)]);
    let both = vmap_with(|x: &Tensor, y: &Tensor| Ok(((x + y)?, (x * y)?)), options);
    let x = matrix(&[1.0, 2.0, 3.0, 4.0], 2);
    let (sums, products) = both.call((&x, &x)).unwrap();
    expect(&sums, &[2, 2], &[2.0, 4.0, 6.0, 8.0]);
    expect(&products, &[2, 2], &[1.0, 4.0, 9.0, 16.0]);
}

#[test]
fn slices_and_vectors_of_tensors() {
    let all = vmap(|args: &[Tensor]| args.iter().map(|x| x * 2.0).collect::<Result<Vec<_>>>());
    let args = [
        vector(&[1.0, 2.0]),
        vector(&[3.0, 4.0]),
        vector(&[5.0, 6.0]),
    ];
    let found = all.call(&args[..]).unwrap();
    assert_eq!(found.len(), 3);
    expect(&found[2], &[2], &[10.0, 12.0]);
}

#[test]
fn chunks_and_randomness() {
    let calls = Cell::new(0);
    let counted = |x: &Tensor| {
        calls.set(calls.get() + 1);
        x * x
    };
    let in_chunks = vmap_with(counted, VmapOptions::new().chunk_size(2));
    let x = vector(&[1.0, 2.0, 3.0]);
    expect(&in_chunks.call(&x).unwrap(), &[3], &[1.0, 4.0, 9.0]);
    assert_eq!(calls.get(), 2);

    let noise = |x: &Tensor| x + &aten::rand(&[])?;
    assert!(vmap(noise).call(&x).is_err());
    let zeros = vector(&[0.0, 0.0]);
    let drawn = |randomness| {
        let noisy = vmap_with(noise, VmapOptions::new().randomness(randomness));
        noisy.call(&zeros).unwrap().to_vec::<f32>().unwrap()
    };
    let same = drawn(Randomness::Same);
    assert_eq!(same[0], same[1]);
    let different = drawn(Randomness::Different);
    assert_ne!(different[0], different[1]);
}

#[test]
fn bad_dims_are_named() {
    let x = vector(&[1.0, 2.0]);
    let wrong = Status::INVALID_ARGUMENT;
    let with_in = |dims: &[Option<i64>]| vmap_with(cube, VmapOptions::new().in_dims(dims)).call(&x);
    expect_error(
        with_in(&[None]),
        wrong,
        "vmap: in_dims must map at least one argument",
    );
    expect_error(
        with_in(&[Some(1)]),
        wrong,
        "in_dims must be a dim of argument 0",
    );
    expect_error(
        with_in(&[Some(0), Some(0)]),
        wrong,
        "that of the arguments, 1, got 2",
    );
    let named = vmap_with(cube, VmapOptions::new().name("f"));
    expect_error(named.call(&number(1.0)), wrong, "f: in_dims must be a dim");
    expect_error(
        vmap(|x: &Tensor| x * x).call((&x, &x)),
        wrong,
        "arguments must be 1, got 2",
    );
}

// ---- Derivatives --------------------------------------------------------------------------------

#[test]
fn gradients_by_the_arguments_named() {
    let slope = grad(sum_of_cubes);
    expect(
        &slope.call(&vector(&[1.0, 2.0, -3.0])).unwrap(),
        &[3],
        &[3.0, 12.0, 27.0],
    );
    let loss = |w: &Tensor, x: &Tensor| (w * &(x * x)?)?.sum();
    let (w, x) = (vector(&[1.0, 2.0]), vector(&[3.0, 4.0]));
    let (grads, value) = grad_and_value_of(loss, &[1, 0]).call((&w, &x)).unwrap();
    expect(&value, &[], &[41.0]);
    expect(&grads[0], &[2], &[6.0, 16.0]);
    expect(&grads[1], &[2], &[9.0, 16.0]);
    let far = grad_of(loss, &[2]).call((&w, &x));
    expect_error(
        far,
        Status::INVALID_ARGUMENT,
        "places of the 2 arguments, got 2",
    );
    let of_vector = grad(|x: &Tensor| x * x).call(&x);
    expect_error(of_vector, Status::STATE, "output's sizes [2], got none");
    let whole = x.to_dtype(DType::I64).unwrap();
    expect_error(slope.call(&whole), Status::STATE, "must be floating");
}

#[test]
fn pullbacks_run_as_often_as_wanted() {
    let (value, pullback) = vjp(cube, &vector(&[1.0, 2.0])).unwrap();
    expect(&value, &[2], &[1.0, 8.0]);
    expect(
        &pullback.call(&vector(&[1.0, 1.0])).unwrap()[0],
        &[2],
        &[3.0, 12.0],
    );
    expect(
        &pullback.call(&vector(&[0.0, 2.0])).unwrap()[0],
        &[2],
        &[0.0, 24.0],
    );
}

#[test]
fn jvp_gives_value_and_derivative() {
    let both = |a: &Tensor, b: &Tensor| Ok(((a * b)?, (a * -1.0)?));
    let (a, b, one, ten) = (number(2.0), number(3.0), number(1.0), number(10.0));
    let (values, derivatives) = jvp(both, (&a, &b), (&one, &ten)).unwrap();
    expect(&values.0, &[], &[6.0]);
    expect(&derivatives.0, &[], &[23.0]);
    expect(&derivatives.1, &[], &[-1.0]);
    expect_error(
        jvp(both, (&a, &b), &one),
        Status::INVALID_ARGUMENT,
        "must be 2 like the primals",
    );
}

#[test]
fn jacobians_are_the_same_both_ways() {
    // f(x, y) = (x^2 * y, y.sum()).
    let f = |x: &Tensor, y: &Tensor| Ok(((&(x * x)? * y)?, y.sum()?));
    let (x, y) = (vector(&[1.0, 2.0]), vector(&[3.0, 4.0]));
    let options = || VmapOptions::new().chunk_size(2);
    let ways = [
        jacrev_of(f, &[0, 1], options()).call((&x, &y)).unwrap(),
        jacfwd_of(f, &[0, 1], options()).call((&x, &y)).unwrap(),
    ];
    for jacobians in &ways {
        expect(&jacobians[0].0, &[2, 2], &[6.0, 0.0, 0.0, 16.0]);
        expect(&jacobians[1].0, &[2, 2], &[1.0, 0.0, 0.0, 4.0]);
        expect(&jacobians[0].1, &[2], &[0.0, 0.0]);
        expect(&jacobians[1].1, &[2], &[1.0, 1.0]);
    }
    let of_cube = [
        jacrev(cube).call(&x).unwrap(),
        jacfwd(cube).call(&x).unwrap(),
    ];
    for jacobian in &of_cube {
        expect(jacobian, &[2, 2], &[3.0, 0.0, 0.0, 12.0]);
    }
}

#[test]
fn hessians() {
    // [quote.begin hessian]
    // x^3 + y^3 + x y
    let f = |x: &Tensor| &cube(x)?.sum()? + &(&x.select(0, 0)? * &x.select(0, 1)?)?;
    let curvature = hessian(f).call(&vector(&[1.0, 2.0])).unwrap();
    expect(&curvature, &[2, 2], &[6.0, 1.0, 1.0, 12.0]);
    // [quote.end]
    let product = |a: &Tensor, b: &Tensor| &(a * a)? * b;
    let all = hessian_of(product, &[0, 1])
        .call((&number(3.0), &number(5.0)))
        .unwrap();
    expect(&all[0][0], &[], &[10.0]);
    expect(&all[0][1], &[], &[6.0]);
    expect(&all[1][0], &[], &[6.0]);
    expect(&all[1][1], &[], &[0.0]);
}

// ---- Nesting ------------------------------------------------------------------------------------

#[test]
fn per_sample_gradients() {
    // [quote.begin per-sample]
    let loss = |w: &Tensor, x: &Tensor, target: &Tensor| {
        let error = (&(w * x)?.sum()? - target)?;
        &error * &error
    };
    let dims = VmapOptions::new().in_dims(&[None, Some(0), Some(0)]);
    let per_sample = vmap_with(grad(loss), dims);
    let (w, targets) = (vector(&[1.0, 1.0]), vector(&[0.0, 10.0]));
    let x = matrix(&[1.0, 2.0, 3.0, 4.0], 2);
    let grads = per_sample.call((&w, &x, &targets)).unwrap();
    expect(&grads, &[2, 2], &[6.0, 12.0, -18.0, -24.0]);
    // [quote.end]
}

#[test]
fn every_order_of_three() {
    // The derivatives of x^3 at 4 places do not depend on the order of the transforms.
    type Function = Box<dyn Fn(&Tensor) -> Result<Tensor>>;
    fn by_vmap(f: Function) -> Function {
        Box::new(move |x: &Tensor| vmap(&f).call(x))
    }
    fn by_jvp(f: Function) -> Function {
        Box::new(move |x: &Tensor| Ok(jvp(&f, x, &aten::ones_like(x)?)?.1))
    }
    fn by_vjp(f: Function) -> Function {
        Box::new(move |x: &Tensor| {
            let (value, pullback) = vjp(&f, x)?;
            Ok(pullback.call(&aten::ones_like(&value)?)?.remove(0))
        })
    }
    let transforms: [fn(Function) -> Function; 3] = [by_vmap, by_jvp, by_vjp];
    let expected: [[f32; 4]; 4] = [
        [1.0, 8.0, -1.0, 0.125],
        [3.0, 12.0, 3.0, 0.75],
        [6.0, 12.0, -6.0, 3.0],
        [6.0, 6.0, 6.0, 6.0],
    ];
    for word in 0..27usize {
        let letters = [word % 3, word / 3 % 3, word / 9];
        let maps = letters.iter().filter(|&&letter| letter == 0).count();
        let f = letters
            .iter()
            .fold(Box::new(cube) as Function, |f, &letter| {
                transforms[letter](f)
            });
        let mut shape = vec![1; maps.saturating_sub(1)];
        shape.push(4);
        let x = Tensor::from_slice(&[1.0f32, 2.0, -1.0, 0.5], &shape).unwrap();
        expect(&f(&x).unwrap(), &shape, &expected[3 - maps]);
    }
    no_layer_is_left();
}

/// Calls 3x the derivative of x * x, so that a layer that sees its operators instead computes other
/// numbers.
struct Square;

impl autograd::Function for Square {
    const NAME: &'static str = "Square";

    fn forward(&self, ctx: &FunctionContext<'_>, args: &[ValueRef<'_>]) -> Result<Value> {
        let [ValueRef::Tensor(x)] = args else {
            return Err(Error::new(Status::TYPE, "Square: x must be a Tensor"));
        };
        ctx.save_for_backward((*x,))?;
        Ok(Value::Tensor((*x * *x)?))
    }

    fn backward(&self, call: &BackwardCall<'_>) -> Result<Vec<Option<Tensor>>> {
        let scaled = (call.grad(0)? * call.saved_tensor(0)?)?;
        Ok(vec![Some((&scaled * 3.0)?)])
    }

    fn jvp(&self, call: &JvpCall<'_>) -> Result<Vec<Option<Tensor>>> {
        let Some(tangent) = call.tangent(0) else {
            return Ok(vec![None]);
        };
        let scaled = (tangent * &call.saved_tensor(0)?)?;
        Ok(vec![Some((&scaled * 3.0)?)])
    }
}

#[test]
fn functions_with_gradients_of_their_own_are_seen_by_every_layer() {
    type Function = Box<dyn Fn(&Tensor) -> Result<Tensor>>;
    fn by_grad(f: Function) -> Function {
        let f = std::rc::Rc::new(f);
        Box::new(move |x: &Tensor| {
            let f = f.clone();
            grad(move |x: &Tensor| f(x)?.sum()).call(x)
        })
    }
    fn by_jvp(f: Function) -> Function {
        Box::new(move |x: &Tensor| Ok(jvp(&f, x, &aten::ones_like(x)?)?.1))
    }
    fn by_vjp(f: Function) -> Function {
        Box::new(move |x: &Tensor| {
            let (value, pullback) = vjp(&f, x)?;
            Ok(pullback.call(&aten::ones_like(&value)?)?.remove(0))
        })
    }
    let square = autograd::function(Square).unwrap();
    let cube = |square: tenon::Function| -> Function {
        Box::new(move |x: &Tensor| &autograd::apply::<Tensor>(&square, (x,))? * x)
    };
    let transforms: [fn(Function) -> Function; 3] = [by_grad, by_jvp, by_vjp];
    let x = vector(&[1.0, 2.0]);
    for outer in transforms {
        expect(
            &outer(cube(square.clone()))(&x).unwrap(),
            &[2],
            &[4.0, 16.0],
        );
        for inner in transforms {
            let nested = outer(inner(cube(square.clone())));
            expect(&nested(&x).unwrap(), &[2], &[9.0, 18.0]);
            let mapped = inner(cube(square.clone()));
            expect(&vmap(&mapped).call(&x).unwrap(), &[2], &[4.0, 16.0]);
        }
        let inside = cube(square.clone());
        let refused = outer(Box::new(move |x: &Tensor| vmap(&inside).call(x)))(&x);
        expect_error(refused, Status::NOT_SUPPORTED, "inside a vmap to tensors");
    }
    no_layer_is_left();
}

#[test]
fn an_outer_tensor_is_a_constant() {
    let x = vector(&[0.0, 1.0, 2.0]);
    let loss = |w: &Tensor| {
        let square = |each: &Tensor| {
            let scaled = (w * each)?;
            &scaled * &scaled
        };
        vmap(square).call(&x)?.sum()
    };
    expect(&grad(loss).call(&number(2.0)).unwrap(), &[], &[20.0]);
}

// ---- What goes wrong inside ---------------------------------------------------------------------

#[derive(Debug)]
struct Lost(u32);

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "lost")
    }
}

impl std::error::Error for Lost {}

#[test]
fn errors_come_home_and_leave_no_layer() {
    let failing = |_: &Tensor| -> Result<Tensor> { Err(Error::from_error(Lost(7))) };
    let error = vmap(grad(failing)).call(&vector(&[1.0, 2.0])).unwrap_err();
    assert_eq!(error.downcast_ref::<Lost>().unwrap().0, 7);
    no_layer_is_left();
}

#[test]
fn panics_go_on_and_leave_no_layer() {
    let panicking = |x: &Tensor| -> Result<Tensor> {
        if x.shape().is_empty() {
            std::panic::panic_any(7u32);
        }
        Ok(x.clone())
    };
    let run = || vmap(grad(panicking)).call(&vector(&[1.0, 2.0]));
    let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
    assert_eq!(panic.downcast_ref::<u32>(), Some(&7));
    no_layer_is_left();
    let sound: Transformed<'_, Tensor> = vmap(cube);
    expect(&sound.call(&vector(&[2.0])).unwrap(), &[1], &[8.0]);
}

// ---- Batching rules -----------------------------------------------------------------------------

fn library(ns: &str) -> Library {
    let library = Library::define_namespace(ns).unwrap();
    library
        .define("scale(Tensor x, float factor) -> Tensor")
        .unwrap();
    let scale = |x: &Tensor, factor: f64| x * factor;
    library.impl_fn("scale", DispatchKey::CPU, scale).unwrap();
    library
}

#[test]
fn a_rule_serves_an_operator() {
    let library = library("rust_rule");
    // [quote.begin rule]
    let rule = |call: &VmapCall<'_>| {
        assert_eq!(call.batch_size(), 2);
        let scaled: Tensor = call.op().call(call.args())?;
        Ok((scaled, call.in_dims()[0]))
    };
    library.register_vmap("scale", rule).unwrap();
    // [quote.end]
    let scale = |x: &Tensor| Op::find("rust_rule::scale")?.call::<Tensor>((x, 3.0));
    let options = VmapOptions::new().in_dims(&[Some(1)]).out_dims(&[Some(1)]);
    let found = vmap_with(scale, options)
        .call(&matrix(&[1.0, 2.0, 3.0, 4.0], 2))
        .unwrap();
    expect(&found, &[2, 2], &[3.0, 6.0, 9.0, 12.0]);
}

#[test]
fn a_rule_of_lists_and_several_results() {
    let library = Library::define_namespace("rust_rule_list").unwrap();
    library
        .define("halves(Tensor[] xs) -> (Tensor, Tensor)")
        .unwrap();
    let half = |xs: &[Tensor]| Ok::<_, Error>(((&xs[0] * 0.5)?, (&xs[1] * 0.5)?));
    library.impl_fn("halves", DispatchKey::CPU, half).unwrap();
    let rule = |call: &VmapCall<'_>| {
        let values: Vec<Value> = call.op().call(call.args())?;
        Ok((values, call.in_dims().to_vec()))
    };
    library.register_vmap("halves", rule).unwrap();
    let y = number(8.0);
    let halves = |x: &Tensor| {
        let list = [x.clone(), y.clone()];
        Op::find("rust_rule_list::halves")?.call::<(Tensor, Tensor)>(args![&list[..]])
    };
    let (first, second) = vmap(halves).call(&vector(&[2.0, 4.0])).unwrap();
    expect(&first, &[2], &[1.0, 2.0]);
    expect(&second, &[2], &[4.0, 4.0]);
}

#[test]
fn what_a_rule_gives_is_checked() {
    let library = library("rust_rule_wrong");
    let none = |_: &VmapCall<'_>| Ok((Vec::<Value>::new(), vec![0i64]));
    library.register_vmap("scale", none).unwrap();
    let scale = |x: &Tensor| Op::find("rust_rule_wrong::scale")?.call::<Tensor>((x, 3.0));
    let found = vmap(scale).call(&vector(&[1.0]));
    expect_error(found, Status::TYPE, "results must be 1, got 0");
    let unmapped = |call: &VmapCall<'_>| Ok((call.tensor(0)?.sum()?, None));
    library.register_vmap("scale", unmapped).unwrap();
    expect(
        &vmap(scale).call(&vector(&[1.0, 2.0])).unwrap(),
        &[2],
        &[3.0, 3.0],
    );
    let second = |call: &VmapCall<'_>| Ok((call.tensor(1)?.clone(), 0));
    library.register_vmap("scale", second).unwrap();
    expect_error(
        vmap(scale).call(&vector(&[1.0])),
        Status::TYPE,
        "argument 1 must be a Tensor",
    );
}
