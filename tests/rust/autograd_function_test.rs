// SPDX-License-Identifier: Apache-2.0
//! Custom autograd functions.

use tenon::autograd::{self, BackwardCall, BackwardOptions, Function, FunctionContext};
use tenon::{grad_mode, Error, Library, Op, Result, Status, Tensor, Value, ValueRef};

use crate::support::{fails, floats, read};

fn leaf(data: &[f32]) -> Tensor {
    let tensor = floats(data);
    tensor.set_requires_grad(true).unwrap();
    tensor
}

fn tensor<'a>(args: &[ValueRef<'a>], index: usize) -> Result<&'a Tensor> {
    match args.get(index).copied() {
        Some(ValueRef::Tensor(tensor)) => Ok(tensor),
        other => Err(Error::new(
            Status::TYPE,
            format!("argument {index} must be a Tensor, got {other:?}"),
        )),
    }
}

/// Computes x^3 and saves x.
struct Cube;

impl Function for Cube {
    const NAME: &'static str = "Cube";

    fn forward(&self, ctx: &FunctionContext<'_>, args: &[ValueRef<'_>]) -> Result<Value> {
        let x = tensor(args, 0)?;
        assert!(!grad_mode::is_enabled());
        ctx.save_for_backward((x,))?;
        Ok(Value::Tensor((&(x * x)? * x)?))
    }

    fn backward(&self, call: &BackwardCall<'_>) -> Result<Vec<Option<Tensor>>> {
        let x = call.saved_tensor(0)?;
        Ok(vec![Some((&(call.grad(0)? * x)? * &(x * 3.0)?)?)])
    }
}

#[test]
fn calls_are_one_node_and_derived_twice() {
    let cube = autograd::function(Cube).unwrap();
    let x = leaf(&[2.0, 3.0]);
    let y: Tensor = autograd::apply(&cube, (&x,)).unwrap();
    assert_eq!(y.grad_fn().unwrap().unwrap().name(), "CubeBackward");
    let options = BackwardOptions::new().create_graph(true);
    let sum = y.sum().unwrap();
    let slope = options.grad(&[&sum], &[&x]).unwrap().remove(0).unwrap();
    assert_eq!(read(&slope), [12.0, 27.0]);
    let curve = autograd::grad(&[&slope.sum().unwrap()], &[&x]).unwrap();
    assert_eq!(read(&curve[0]), [12.0, 18.0]);
}

#[test]
fn functions_are_called_as_values_too() {
    let cube = autograd::function(Cube).unwrap();
    let x = leaf(&[2.0]);
    let Value::Tensor(y) = cube.call((&x,)).unwrap() else {
        panic!("must be a tensor");
    };
    y.backward().unwrap();
    assert_eq!(read(&x.grad().unwrap()), [12.0]);
    let library = Library::define_namespace("autograd_function_value").unwrap();
    let op = library
        .define("apply(Function f, Tensor x) -> Tensor")
        .unwrap();
    library
        .impl_fn(
            "apply",
            "CompositeImplicitAutograd",
            |f: ValueRef<'_>, x: &Tensor| {
                let ValueRef::Function(f) = f else {
                    return Err(Error::new(Status::TYPE, "f must be a function"));
                };
                autograd::apply::<Tensor>(f, (x,))
            },
        )
        .unwrap();
    let y: Tensor = op.call((&cube, &x)).unwrap();
    assert_eq!(y.grad_fn().unwrap().unwrap().name(), "CubeBackward");
}

#[test]
fn untracked_calls_are_not_recorded() {
    let cube = autograd::function(Cube).unwrap();
    let y: Tensor = autograd::apply(&cube, (&floats(&[2.0]),)).unwrap();
    assert!(!y.requires_grad());
    let x = leaf(&[2.0]);
    let apply = || autograd::apply::<Tensor>(&cube, (&x,)).unwrap();
    assert!(!grad_mode::no_grad(apply).unwrap().requires_grad());
}

/// (a * b, "text", a + b): stores as state which gradients are needed.
struct Several;

impl Function for Several {
    const NAME: &'static str = "Several";
    const ONCE_DIFFERENTIABLE: bool = true;

    fn forward(&self, ctx: &FunctionContext<'_>, args: &[ValueRef<'_>]) -> Result<Value> {
        let (a, b) = (tensor(args, 0)?, tensor(args, 2)?);
        ctx.set_state("forgotten");
        ctx.set_state([
            ctx.needs_input_grad(0),
            ctx.needs_input_grad(1),
            ctx.needs_input_grad(2),
            ctx.needs_input_grad(3),
        ]);
        ctx.save_for_backward((b, 7))?;
        let sum = (a + b)?;
        ctx.mark_non_differentiable(&sum)?;
        Ok(Value::Tuple(vec![
            Value::Tensor((a * b)?),
            Value::Str("text".to_owned()),
            Value::Tensor(sum),
        ]))
    }

    fn backward(&self, call: &BackwardCall<'_>) -> Result<Vec<Option<Tensor>>> {
        assert_eq!(
            call.state::<[bool; 4]>(),
            Some(&[true, false, false, false])
        );
        assert!(call.state::<&str>().is_none());
        assert!(matches!(call.saved().get(1), Some(ValueRef::Int(7))));
        assert_eq!(call.input_count(), 3);
        assert!(call.needs(0) && !call.needs(1) && !call.needs(2));
        Ok(vec![
            Some((call.grad(0)? * call.saved_tensor(0)?)?),
            None,
            None,
        ])
    }
}

#[test]
fn tuples_and_state_are_kept() {
    let several = autograd::function(Several).unwrap();
    let (a, b) = (leaf(&[2.0]), floats(&[5.0]));
    let parts: Vec<Value> = autograd::apply(&several, (&a, 3, &b)).unwrap();
    let [Value::Tensor(product), Value::Str(text), Value::Tensor(sum)] = &parts[..] else {
        panic!("must be a tuple of three, got {parts:?}");
    };
    assert_eq!(text, "text");
    assert!(product.requires_grad() && !sum.requires_grad());
    product.backward().unwrap();
    assert_eq!(read(&a.grad().unwrap()), [5.0]);
}

#[test]
fn once_differentiable_functions_are_not_derived_again() {
    let several = autograd::function(Several).unwrap();
    let (a, b) = (leaf(&[2.0]), floats(&[5.0]));
    let parts: Vec<Value> = autograd::apply(&several, (&a, 3, &b)).unwrap();
    let Value::Tensor(product) = &parts[0] else {
        panic!("must be a tensor");
    };
    let options = BackwardOptions::new().create_graph(true);
    let slope = options.grad(&[product], &[&a]).unwrap().remove(0).unwrap();
    let again = autograd::grad(&[&slope], &[&a]);
    fails(again, Status::STATE, &["once_differentiable"]);
}

/// Doubles its argument in place.
struct InPlace;

impl Function for InPlace {
    const NAME: &'static str = "InPlace";

    fn forward(&self, ctx: &FunctionContext<'_>, args: &[ValueRef<'_>]) -> Result<Value> {
        let x = tensor(args, 0)?;
        ctx.mark_dirty(x)?;
        Op::find("aten::mul_.Scalar")?
            .call::<Tensor>((x, 2.0))
            .map(Value::Tensor)
    }

    fn backward(&self, call: &BackwardCall<'_>) -> Result<Vec<Option<Tensor>>> {
        Ok(vec![Some((call.grad(0)? * 2.0)?)])
    }
}

#[test]
fn dirty_arguments_are_results() {
    let in_place = autograd::function(InPlace).unwrap();
    let x = leaf(&[3.0]);
    let y = (&x * &x).unwrap();
    let written: Tensor = autograd::apply(&in_place, (&y,)).unwrap();
    assert_eq!(written.as_raw(), y.as_raw());
    assert_eq!(y.grad_fn().unwrap().unwrap().name(), "InPlaceBackward");
    y.backward().unwrap();
    assert_eq!(read(&x.grad().unwrap()), [12.0]);
    let refused = autograd::apply::<Tensor>(&in_place, (&x,));
    fails(refused, Status::STATE, &["leaf"]);
}

/// Fails in forward or in backward, depending on its field.
struct Failing(bool);

impl Function for Failing {
    const NAME: &'static str = "Failing";

    fn forward(&self, _: &FunctionContext<'_>, args: &[ValueRef<'_>]) -> Result<Value> {
        if self.0 {
            std::panic::panic_any(7i32);
        }
        Ok(Value::Tensor((tensor(args, 0)? * 2.0)?))
    }

    fn backward(&self, _: &BackwardCall<'_>) -> Result<Vec<Option<Tensor>>> {
        Err(Error::from_error(std::fmt::Error))
    }
}

#[test]
fn failures_come_home() {
    let x = leaf(&[3.0]);
    let failing = autograd::function(Failing(true)).unwrap();
    let error = autograd::apply::<Tensor>(&failing, (&x,)).unwrap_err();
    assert_eq!(error.into_panic().unwrap().downcast_ref::<i32>(), Some(&7));
    let failing = autograd::function(Failing(false)).unwrap();
    let y: Tensor = autograd::apply(&failing, (&x,)).unwrap();
    let error = y.backward().unwrap_err();
    assert!(error.downcast_ref::<std::fmt::Error>().is_some());
    fails(
        autograd::apply::<Tensor>(&failing, ("text",)),
        Status::TYPE,
        &["argument 0", "Tensor"],
    );
    let cube = autograd::function(Cube).unwrap();
    let texts = ["Cube", "int", "Tensor"];
    fails(autograd::apply::<i64>(&cube, (&x,)), Status::TYPE, &texts);
    let plain = tenon::Function::new(|_| Ok(vec![Value::None])).unwrap();
    fails(
        autograd::apply::<Tensor>(&plain, (&x,)),
        Status::TYPE,
        &["tenon_function_new"],
    );
}
