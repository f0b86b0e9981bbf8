// SPDX-License-Identifier: Apache-2.0
//! Wrong calls about leaves, formulas and backward passes.

use tenon::autograd::forward_ad::DualLevel;
use tenon::autograd::{BackwardOptions, Formula, SavedTensorsHooks};
use tenon::{DType, Device, Error, Result, Status, Tensor, Value};

use super::{field, text, World};

fn fresh(dtype: DType, count: i64, leaf: bool) -> Tensor {
    let tensor = Tensor::empty(&[count], dtype, Device::CPU).unwrap();
    if leaf {
        tensor.set_requires_grad(true).unwrap();
    }
    tensor
}

pub fn set_requires_grad(_: &World, args: &[&str]) -> Option<Result<()>> {
    let tensor = match args[0] {
        "undefined" => Tensor::undefined(),
        "ints" => fresh(DType::I64, 2, false),
        _ => return None, // no NULL
    };
    Some(tensor.set_requires_grad(true))
}

pub fn set_grad(_: &World, args: &[&str]) -> Option<Result<()>> {
    let leaf = fresh(DType::F32, 2, true);
    let grad = match args[0] {
        "itself" => leaf.clone(),
        "longer" => fresh(DType::F32, 3, false),
        "double" => fresh(DType::F64, 2, false),
        _ => return None, // no NULL
    };
    let result = leaf.set_grad(Some(&grad));
    assert!(leaf.grad().is_none());
    Some(result)
}

pub fn register_autograd(world: &World, args: &[&str]) -> Option<Result<()>> {
    let formula = match args[3] {
        "" => Formula::text(text(args[2])?),
        "saves=1" => Formula::text(text(args[2])?).saves(&["x"]),
        _ => return None, // the struct is Rust's own
    };
    let library = world.library(args[0])?;
    Some(library.register_autograd(text(args[1])?, formula).map(drop))
}

pub fn dual_enter(_: &World, _: &[&str]) -> Option<Result<()>> {
    let _level = DualLevel::enter().unwrap();
    Some(DualLevel::enter().map(drop))
}

fn dual_part(name: &str) -> Option<Tensor> {
    Some(match name {
        "undefined" => Tensor::undefined(),
        "floats" => fresh(DType::F32, 2, false),
        "more" => fresh(DType::F32, 3, false),
        "doubles" => fresh(DType::F64, 2, false),
        "ints" => fresh(DType::I64, 2, false),
        _ => return None, // no NULL
    })
}

pub fn dual_make(_: &World, args: &[&str]) -> Option<Result<()>> {
    let level = DualLevel::enter().unwrap();
    let (primal, tangent) = (dual_part(args[0])?, dual_part(args[1])?);
    Some(level.make_dual(&primal, &tangent).map(drop))
}

pub fn dual_unpack(_: &World, args: &[&str]) -> Option<Result<()>> {
    let level = DualLevel::enter().unwrap();
    match args[0] {
        "undefined" => Some(level.unpack_dual(&Tensor::undefined()).map(drop)),
        _ => None, // a level is open, and no NULL
    }
}

fn hooks() -> Result<SavedTensorsHooks> {
    SavedTensorsHooks::enter(
        |tensor| Ok(Value::Tensor(tensor.clone())),
        |_| Err(Error::new(Status::RUNTIME, "nobody unpacks")),
    )
}

pub fn saved_hooks_push(_: &World, args: &[&str]) -> Option<Result<()>> {
    field(args[0], "disabled")?; // otherwise the struct is Rust's own
    let _disabled = SavedTensorsHooks::disable("not while this runs").unwrap();
    Some(hooks().map(drop))
}

pub fn saved_hooks_disable(_: &World, _: &[&str]) -> Option<Result<()>> {
    let _hooks = hooks().unwrap();
    Some(SavedTensorsHooks::disable("too late").map(drop))
}

/// The fields of a backward pass that Rust can express.
struct Pass {
    output: Tensor,
    apart: Tensor,
    grad: Option<Tensor>,
    noutputs: usize,
    ninputs: usize,
}

fn pass(fields: &str) -> Option<Pass> {
    const OWN: [&str; 5] = ["struct_size", "reserved", "flags", "outputs", "inputs"];
    if fields == "NULL" || OWN.iter().any(|name| field(fields, name).is_some()) {
        return None; // the struct is Rust's own
    }
    let of = |name: &str, otherwise: i64| field(fields, name).unwrap_or(otherwise);
    let count = if of("long", 0) != 0 { 3 } else { 1 };
    Some(Pass {
        output: fresh(DType::F32, count, of("tracked", 1) != 0),
        apart: fresh(DType::F32, 1, of("input", 1) != 0),
        grad: field(fields, "grad").map(|count| fresh(DType::F32, count, false)),
        noutputs: of("noutputs", 1) as usize,
        ninputs: of("ninputs", 1) as usize,
    })
}

impl Pass {
    fn run(
        &self,
        run: impl FnOnce(BackwardOptions<'_>, &[&Tensor], &[&Tensor]) -> Result<()>,
    ) -> Result<()> {
        let (outputs, inputs) = ([&self.output], [&self.apart]);
        let grads = [self.grad.as_ref()];
        let mut options = BackwardOptions::new();
        if self.grad.is_some() {
            options = options.grad_tensors(&grads);
        }
        run(options, &outputs[..self.noutputs], &inputs[..self.ninputs])
    }
}

pub fn backward(_: &World, args: &[&str]) -> Option<Result<()>> {
    Some(pass(args[0])?.run(|options, outputs, _| options.backward(outputs)))
}

pub fn grad(_: &World, args: &[&str]) -> Option<Result<()>> {
    Some(pass(args[0])?.run(|options, outputs, inputs| options.grad(outputs, inputs).map(drop)))
}
