// SPDX-License-Identifier: Apache-2.0
//! The Rust part of the digits demo: the schema of parameters, all of leaky_relu's code, a loop.

use tenon::autograd::{BackwardCall, Formula};
use tenon::{aten, grad_mode, DispatchKey, Library, Op, Result, Tensor, ValueRef};

const BATCH: i64 = 32;

/// Returns `x` if it is positive, otherwise `slope * x`.
fn leaky_relu(x: &Tensor, slope: f64) -> Result<Tensor> {
    let leak = |&x: &f32| if x > 0.0 { x } else { x * slope as f32 };
    Tensor::from_vec(x.to_vec::<f32>()?.iter().map(leak).collect(), &x.shape())
}

fn leaky_relu_backward(call: &BackwardCall<'_>) -> Result<Vec<Option<Tensor>>> {
    let (x, grad) = (call.saved_tensor(0)?, call.grad(0)?);
    let slope = match call.saved().get(1) {
        Some(ValueRef::Float(slope)) => slope as f32,
        _ => unreachable!("the schema says float"),
    };
    let leak = |(x, grad): (f32, f32)| if x > 0.0 { grad } else { grad * slope };
    let both = x.to_vec::<f32>()?.into_iter().zip(grad.to_vec::<f32>()?);
    let grads = Tensor::from_vec(both.map(leak).collect(), &x.shape())?;
    Ok(vec![Some(grads)])
}

fn logits(images: &Tensor, p: &[Tensor]) -> Result<Tensor> {
    let linear = Op::find("digits::linear")?;
    let sums: Tensor = linear.call((images, &p[0], &p[1]))?;
    let hidden: Tensor = Op::find("digits::leaky_relu")?.args().arg(&sums).call()?;
    linear.call((&hidden, &p[2], &p[3]))
}

fn step(parameters: &[Tensor], velocities: &[Tensor], rate: f64) -> Result<()> {
    let step = Op::find("digits::step_")?;
    for (parameter, velocity) in parameters.iter().zip(velocities) {
        if let Some(grad) = parameter.grad() {
            let given = step.args().arg(parameter).arg(velocity).arg(&grad);
            given.arg(rate).call::<()>()?;
        }
        parameter.set_grad(None)?;
    }
    Ok(())
}

/// Trains a network; returns its parameters and the mean loss of each epoch.
fn train(
    images: &Tensor,
    labels: &Tensor,
    seed: i64,
    epochs: i64,
) -> Result<(Vec<Tensor>, Tensor)> {
    let parameters: Vec<Tensor> = Op::find("digits::parameters")?.call((seed,))?;
    let mut velocities = Vec::new();
    for parameter in &parameters {
        velocities.push(aten::zeros_like(parameter)?);
        parameter.set_requires_grad(true)?;
    }
    let cross_entropy = Op::find("digits::cross_entropy")?;
    let count = images.shape()[0];
    let mut losses = Vec::new();
    for epoch in 0..epochs {
        let rate = 0.1 * (epochs - epoch) as f64 / epochs as f64;
        let mut total = 0.0;
        for start in (0..count).step_by(BATCH as usize) {
            let end = count.min(start + BATCH);
            let z = logits(&images.slice(0, Some(start), Some(end), 1)?, &parameters)?;
            let wanted = labels.slice(0, Some(start), Some(end), 1)?;
            let loss: Tensor = cross_entropy.call((&z, &wanted))?;
            loss.backward()?;
            grad_mode::no_grad(|| step(&parameters, &velocities, rate))??;
            total += f64::from(loss.item::<f32>()?) * (end - start) as f64;
        }
        losses.push(total / count as f64);
    }
    Ok((parameters, Tensor::from_vec(losses, &[epochs])?))
}

fn load() -> Result<(Library, Library)> {
    let library = Library::fragment("digits")?;
    library.define("parameters(int seed) -> Tensor[]")?;
    library.impl_fn("leaky_relu", DispatchKey::CPU, leaky_relu)?;
    let formula = Formula::new(leaky_relu_backward).saves(&["x", "slope"]);
    library.register_autograd("leaky_relu", formula)?;
    let caller = Library::define_namespace("digits_rust")?;
    caller.define(
        "train(Tensor images, Tensor labels, int seed, int epochs) -> (Tensor[], Tensor)",
    )?;
    caller.impl_fn("train", DispatchKey::COMPOSITE_IMPLICIT_AUTOGRAD, train)?;
    Ok((library, caller))
}

tenon::plugin! { name: "digits_rust", version: "0.1.0", load: load }
