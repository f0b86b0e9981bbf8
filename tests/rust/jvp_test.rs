// SPDX-License-Identifier: Apache-2.0
//! Forward mode of functions and formulas, formulas that inspect a call after it ran, and failures.

use tenon::autograd::forward_ad::DualLevel;
use tenon::autograd::{self, BackwardCall, Formula, Function, FunctionContext, JvpCall};
use tenon::{DispatchKey, Error, Library, Op, Result, Status, Tensor, Value, ValueRef};

use crate::support::{fails, floats, panics, read, resume};

fn tensor<'a>(args: &[ValueRef<'a>], index: usize) -> Result<&'a Tensor> {
    match args.get(index) {
        Some(ValueRef::Tensor(tensor)) => Ok(tensor),
        _ => Err(Error::new(Status::TYPE, "argument must be a Tensor")),
    }
}

fn leaf(data: &[f32]) -> Tensor {
    let leaf = floats(data);
    leaf.set_requires_grad(true).unwrap();
    leaf
}

/// Returns the tangent of `f(x)` for a tangent of ones.
fn slope(x: &Tensor, f: impl FnOnce(&Tensor) -> Result<Tensor>) -> Result<Option<Tensor>> {
    let level = DualLevel::enter()?;
    let ones = Tensor::from_slice(&vec![1.0f32; x.numel()], &x.shape())?;
    let dual = level.make_dual(x, &ones)?;
    let result = f(&dual)?;
    Ok(level.unpack_dual(&result)?.1)
}

/// x * n * y; its jvp is ten times too large, which shows that it was called.
struct Product;

impl Function for Product {
    const NAME: &'static str = "Product";

    fn forward(&self, _ctx: &FunctionContext<'_>, args: &[ValueRef<'_>]) -> Result<Value> {
        let ValueRef::Float(n) = args[1] else {
            return Err(Error::new(Status::TYPE, "Product: n must be a float"));
        };
        Ok(Value::Tensor(
            (&(tensor(args, 0)? * tensor(args, 2)?)? * n)?,
        ))
    }

    fn setup_context(
        &self,
        ctx: &FunctionContext<'_>,
        args: &[ValueRef<'_>],
        output: &Value,
    ) -> Result<()> {
        assert!(matches!(output, Value::Tensor(_)));
        if let ValueRef::Float(n) = args[1] {
            if n == 13.0 {
                return Err(Error::new(Status::RUNTIME, "setup of 13"));
            }
            ctx.set_state(n);
        }
        ctx.save_for_backward((tensor(args, 0)?, tensor(args, 2)?, "text"))
    }

    fn backward(&self, call: &BackwardCall<'_>) -> Result<Vec<Option<Tensor>>> {
        let grad = (call.grad(0)? * *call.state::<f64>().unwrap())?;
        let (x, y) = (call.saved_tensor(0)?, call.saved_tensor(1)?);
        Ok(vec![Some((&grad * y)?), None, Some((&grad * x)?)])
    }

    fn jvp(&self, call: &JvpCall<'_>) -> Result<Vec<Option<Tensor>>> {
        assert_eq!((call.input_count(), call.output_count()), (3, 1));
        assert!(call.tangent(1).is_none() && call.tangent(7).is_none());
        assert_eq!(call.state::<i8>(), None);
        let n = 10.0 * call.state::<f64>().unwrap();
        match n as i64 {
            0 => panic!("{}", "n is 0"),
            10 => return Err(Error::new(Status::RUNTIME, "jvp of 1")),
            20 => return Ok(vec![]),
            30 => return call.saved_tensor(2).map(|_| vec![]),
            40 => return call.saved(3).map(|_| vec![]),
            _ => (),
        }
        let (x, y) = (call.saved_tensor(0)?, call.saved_tensor(1)?);
        let left = (call.tangent(0).unwrap() * &y)?;
        let right = (call.tangent(2).unwrap() * &x)?;
        Ok(vec![Some((&(&left + &right)? * n)?)])
    }
}

fn product(n: f64, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    autograd::apply(&autograd::function(Product)?, (x, n, y))
}

#[test]
fn setup_context_serves_backward() {
    let (x, y) = (leaf(&[2.0]), leaf(&[5.0]));
    product(3.0, &x, &y).unwrap().backward().unwrap();
    assert_eq!(read(&x.grad().unwrap()), [15.0]);
    assert_eq!(read(&y.grad().unwrap()), [6.0]);
    fails(product(13.0, &x, &y), Status::RUNTIME, &["setup of 13"]);
}

#[test]
fn jvp_gives_the_tangent() {
    let y = floats(&[5.0, 7.0]);
    for x in [floats(&[2.0, 3.0]), leaf(&[2.0, 3.0])] {
        let tangent = slope(&x, |x| product(5.0, x, &y)).unwrap().unwrap();
        assert_eq!(read(&tangent), [250.0, 350.0]);
    }
}

#[test]
fn errors_of_jvp_come_home() {
    let x = leaf(&[2.0]);
    let run = |n: f64| slope(&x, |x| product(n, x, x));
    fails(run(1.0), Status::RUNTIME, &["jvp of 1"]);
    fails(
        run(2.0),
        Status::INVALID_ARGUMENT,
        &["Product: tangents must be 1", "got 0"],
    );
    fails(run(3.0), Status::TYPE, &["saved value 2", "Tensor", "str"]);
    fails(run(4.0), Status::INDEX, &["3"]);
    let text = panics(|| {
        resume(run(0.0));
    });
    assert_eq!(text, "n is 0");
    run(5.0).unwrap().unwrap();
}

struct Plain;

impl Function for Plain {
    const NAME: &'static str = "Plain";

    fn forward(&self, _: &FunctionContext<'_>, args: &[ValueRef<'_>]) -> Result<Value> {
        Ok(Value::Tensor((tensor(args, 0)? * 2.0)?))
    }

    fn backward(&self, call: &BackwardCall<'_>) -> Result<Vec<Option<Tensor>>> {
        Ok(vec![Some((call.grad(0)? * 2.0)?)])
    }
}

#[test]
fn without_jvp_forward_mode_is_refused() {
    let plain = autograd::function(Plain).unwrap();
    let x = floats(&[2.0]);
    let tangent = slope(&x, |x| autograd::apply(&plain, (x,)));
    fails(tangent, Status::NOT_SUPPORTED, &["Plain", "jvp"]);
}

/// Sums the tensors of a list, each multiplied by its number; the formula inspects calls.
fn library(name: &str) -> (Library, Op) {
    let library = Library::define_namespace(name).unwrap();
    let op = library
        .define("weigh(Tensor[] list, Tensor? more, int n) -> (Tensor, Tensor)")
        .unwrap();
    let weigh = |list: &[Tensor], _more: Option<&Tensor>, n: i64| -> Result<(Tensor, Tensor)> {
        let mut sum = (&list[0] * 0.0)?;
        for (index, each) in list.iter().enumerate() {
            sum = (&sum + &(each * (index as f64 + 1.0))?)?;
        }
        let more = (&sum * n as f64)?;
        Ok((sum, more))
    };
    library.impl_fn("weigh", DispatchKey::CPU, weigh).unwrap();
    (library, op)
}

fn weigh_formula() -> Formula {
    Formula::new(|call: &BackwardCall<'_>| {
        let sum = (call.grad(0)? + &(call.grad(1)? * *call.state::<f64>().unwrap())?)?;
        (0..call.input_count())
            .map(|index| Ok(Some((&sum * (index as f64 + 1.0))?)))
            .collect()
    })
    .setup(
        |ctx: &FunctionContext<'_>, args: &[ValueRef<'_>], results: &[ValueRef<'_>]| {
            assert_eq!((args.len(), results.len()), (3, 2));
            match args[2] {
                ValueRef::Int(13) => Err(Error::new(Status::RUNTIME, "setup of 13")),
                ValueRef::Int(n) => {
                    ctx.set_state(n as f64);
                    Ok(())
                }
                _ => unreachable!("n is an int"),
            }
        },
    )
}

fn weigh(op: Op, x: &Tensor, n: i64) -> Result<(Tensor, Tensor)> {
    op.call((&[x.clone(), floats(&[1.0])][..], None::<&Tensor>, n))
}

#[test]
fn formulas_look_at_calls() {
    let (library, op) = library("setup_test");
    library.register_autograd("weigh", weigh_formula()).unwrap();
    let x = leaf(&[2.0]);
    let (first, second) = weigh(op, &x, 3).unwrap();
    (&first + &second).unwrap().backward().unwrap();
    assert_eq!(read(&x.grad().unwrap()), [4.0]);
    fails(weigh(op, &x, 13), Status::RUNTIME, &["setup of 13"]);
}

#[test]
fn formulas_have_a_jvp() {
    let (library, op) = library("jvp_test");
    let formula = weigh_formula().jvp(|call: &JvpCall<'_>| {
        // Two of the list, and the absent one.
        assert_eq!((call.input_count(), call.output_count()), (3, 2));
        assert!(call.tangent(2).is_none());
        let n = *call.state::<f64>().unwrap();
        if n == 7.0 {
            panic!("{}", "n is 7");
        }
        let tangent = call.tangent(0).unwrap();
        if n == 8.0 {
            return Ok(vec![Some(tangent.clone())]);
        }
        Ok(vec![Some((tangent * 100.0)?), None])
    });
    library.register_autograd("weigh", formula).unwrap();
    let x = floats(&[2.0]);
    let first = slope(&x, |x| Ok(weigh(op, x, 3)?.0)).unwrap().unwrap();
    assert_eq!(read(&first), [100.0]);
    let second = slope(&x, |x| Ok(weigh(op, x, 3)?.1)).unwrap().unwrap();
    assert_eq!(read(&second), [0.0]);
    let few = slope(&x, |x| Ok(weigh(op, x, 8)?.0));
    fails(
        few,
        Status::INVALID_ARGUMENT,
        &["weigh: tangents must be 2"],
    );
    let text = panics(|| {
        resume(slope(&x, |x| Ok(weigh(op, x, 7)?.0)));
    });
    assert_eq!(text, "n is 7");
}

#[test]
fn wrong_formulas_are_refused() {
    let (library, _) = library("wrong_setup_test");
    let refused = |formula: Formula, text: &str| {
        let result = library.register_autograd("weigh", formula);
        fails(result, Status::INVALID_ARGUMENT, &[text]);
    };
    let backward = |_: &BackwardCall<'_>| Ok(vec![]);
    refused(Formula::new(backward).jvp(|_| Ok(vec![])), "setup");
    refused(
        Formula::text("list: grad").setup(|_, _, _| Ok(())),
        "must go with a closure",
    );
    refused(
        Formula::new(backward).setup(|_, _, _| Ok(())).saves(&["n"]),
        "one of saves and setup",
    );
    assert!(format!("{:?}", Formula::new(backward).named("mine")).contains("mine"));
}
