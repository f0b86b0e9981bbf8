// SPDX-License-Identifier: Apache-2.0
//! Checks for leaks of graphs, formulas and failures: alone in its process, so that counts are
//! exact.

use tenon::autograd::forward_ad::DualLevel;
use tenon::autograd::{self, BackwardCall, BackwardOptions, Formula, Function, FunctionContext};
use tenon::autograd::{JvpCall, NodeCreationHook, SavedTensorsHooks};
use tenon::introspect::live_handles;
use tenon::{DispatchKey, Error, Library, Op, Result, Status, Tensor, Value, ValueRef};

mod support;
use support::floats;

const ROUNDS: usize = 10_000;

fn of_product(call: &BackwardCall<'_>) -> Result<Vec<Option<Tensor>>> {
    let (a, b) = (call.saved_tensor(0)?, call.saved_tensor(1)?);
    if call.saved_tensor(1)?.numel() == 3 {
        return Err(Error::new(Status::RUNTIME, "three"));
    }
    let grad = call.grad(0)?;
    Ok(vec![Some((grad * b)?), Some((grad * a)?)])
}

/// Doubles its argument; saves it and a string.
struct Twice;

impl Function for Twice {
    const NAME: &'static str = "Twice";

    fn forward(&self, ctx: &FunctionContext<'_>, args: &[ValueRef<'_>]) -> Result<Value> {
        let [ValueRef::Tensor(x)] = args else {
            return Err(Error::new(Status::TYPE, "Twice: x must be a Tensor"));
        };
        ctx.save_for_backward((*x, "text"))?;
        ctx.set_state(vec![7; 100]);
        Ok(Value::Tensor((*x * 2.0)?))
    }

    fn backward(&self, call: &BackwardCall<'_>) -> Result<Vec<Option<Tensor>>> {
        Ok(vec![Some((call.grad(0)? * 2.0)?)])
    }

    fn jvp(&self, call: &JvpCall<'_>) -> Result<Vec<Option<Tensor>>> {
        let x = call.saved_tensor(0)?;
        if x.numel() == 3 {
            return Ok(vec![Some(x.clone()), Some(x)]); // one too many
        }
        Ok(vec![Some((call.tangent(0).unwrap() * 2.0)?)])
    }
}

/// Forward mode of a function, and of a formula that inspects calls and may fail.
fn dual_round(op: Op, data: &[f32]) {
    let twice = autograd::function(Twice).unwrap();
    let level = DualLevel::enter().unwrap();
    let x = level.make_dual(&floats(data), &floats(data)).unwrap();
    let y = autograd::apply::<Tensor>(&twice, (&x,));
    assert_eq!(y.is_ok(), data.len() < 3);
    let z = op.call::<Tensor>((&x,));
    assert_eq!(z.is_ok(), data.len() < 3);
    if let (Ok(y), Ok(z)) = (y, z) {
        let both = (&y * &z).unwrap();
        assert!(level.unpack_dual(&both).unwrap().1.is_some());
    }
}

/// Nodes with packed tensors, one of which is never unpacked, and a hook that fails.
fn packed_round() {
    let x = floats(&[2.0]);
    x.set_requires_grad(true).unwrap();
    let text = "kept with the hooks".to_owned();
    let pack = move |tensor: &Tensor| match tensor.numel() {
        3 => Err(Error::new(Status::RUNTIME, text.clone())),
        _ => Ok(Value::Tensor((tensor * 1.0)?)),
    };
    let unpack = |packed: ValueRef<'_>| match packed {
        ValueRef::Tensor(tensor) => Ok(tensor.clone()),
        _ => Err(Error::new(Status::TYPE, "packed must be a Tensor")),
    };
    let hooks = SavedTensorsHooks::enter(pack, unpack).unwrap();
    let hook = NodeCreationHook::enter(|_| Ok(())).unwrap();
    let y = (&x * &x).unwrap();
    drop((&y * &y).unwrap());
    let three = floats(&[1.0; 3]);
    three.set_requires_grad(true).unwrap();
    assert!((&three * &three).is_err());
    drop(hook);
    drop(hooks);
    y.backward().unwrap();
    assert_eq!(support::read(&x.grad().unwrap()), [4.0]);
}

/// Functions and hooks: a hook that lives with its tensor, one that a guard removes, and an unused
/// node.
fn other_round() {
    let x = floats(&[2.0]);
    x.set_requires_grad(true).unwrap();
    x.register_hook(|grad| Ok(Some((grad * 3.0)?))).unwrap();
    let guard = x.register_hook(|_| Ok(None)).unwrap().scoped();
    let twice = autograd::function(Twice).unwrap();
    let y: Tensor = autograd::apply(&twice, (&x,)).unwrap();
    drop(autograd::apply::<Tensor>(&twice, (&y,)).unwrap());
    drop(guard);
    y.backward().unwrap();
    assert_eq!(support::read(&x.grad().unwrap()), [6.0]);
}

/// First- and second-order gradients, a graph without a backward pass, and a failing pass.
fn round(op: Op) {
    let x = floats(&[2.0, 3.0]);
    x.set_requires_grad(true).unwrap();
    let square: Tensor = op.call((&x, &x)).unwrap();
    let sum = op.call::<Tensor>((&square, &x)).unwrap().sum().unwrap();
    let node = sum.grad_fn().unwrap().unwrap();
    assert_eq!(node.next_functions().flatten().count(), 1);
    let options = BackwardOptions::new().create_graph(true);
    let slope = options.grad(&[&sum], &[&x]).unwrap().remove(0).unwrap();
    let curve = autograd::grad(&[&slope.sum().unwrap()], &[&x]).unwrap();
    assert_eq!(support::read(&curve[0]), [12.0, 18.0]);
    let three = floats(&[1.0; 3]);
    three.set_requires_grad(true).unwrap();
    let failing = op.call::<Tensor>((&three, &three)).unwrap().sum().unwrap();
    assert!(failing.backward().is_err());
}

#[test]
fn ten_thousand_rounds_leave_nothing() {
    let run = |rounds: usize| {
        let library = Library::define_namespace("autograd_leaks").unwrap();
        let op = library.define("f(Tensor a, Tensor b) -> Tensor").unwrap();
        library
            .impl_fn("f", DispatchKey::CPU, |a: &Tensor, b: &Tensor| a * b)
            .unwrap();
        library
            .register_autograd("f", Formula::new(of_product).saves(&["a", "b"]))
            .unwrap();
        let doubled = library.define("g(Tensor x) -> Tensor").unwrap();
        library
            .impl_fn("g", DispatchKey::CPU, |x: &Tensor| x * 2.0)
            .unwrap();
        let formula = Formula::new(|call: &BackwardCall<'_>| Ok(vec![Some(call.grad(0)?.clone())]))
            .setup(
                |ctx: &FunctionContext<'_>, args: &[ValueRef<'_>], _: &[ValueRef<'_>]| {
                    ctx.set_state(vec![7; 100]);
                    match args {
                        [ValueRef::Tensor(x)] => ctx.save_for_backward((*x,)),
                        _ => Err(Error::new(Status::TYPE, "x must be a Tensor")),
                    }
                },
            )
            .jvp(|call: &JvpCall<'_>| Twice.jvp(call));
        library.register_autograd("g", formula).unwrap();
        for _ in 0..rounds {
            round(op);
            other_round();
            packed_round();
            dual_round(doubled, &[2.0]);
            dual_round(doubled, &[2.0; 3]);
        }
    };
    run(1); // operators are looked up once
    tenon::reap();
    let before = live_handles();
    run(ROUNDS);
    tenon::reap();
    assert_eq!(live_handles(), before);
}
