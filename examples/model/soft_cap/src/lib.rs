// SPDX-License-Identifier: Apache-2.0
//! A plugin in Rust: model_rust::soft_cap, which bounds logits, and its gradient.

use tenon::autograd::{BackwardCall, Formula};
use tenon::{DispatchKey, Error, Library, Op, Result, Status, Tensor, ValueRef};

/// `cap * tanh(x / cap)`
fn soft_cap(x: &Tensor, cap: f64) -> Result<Tensor> {
    let cap = cap as f32;
    let capped = x
        .to_vec::<f32>()?
        .into_iter()
        .map(|x| cap * (x / cap).tanh());
    Tensor::from_vec(capped.collect(), &x.shape())
}

/// Computes `grad * (1 - (y / cap)^2)` from a result y.
fn soft_cap_backward(grad: &Tensor, y: &Tensor, cap: f64) -> Result<Tensor> {
    let both = grad.to_vec::<f32>()?.into_iter().zip(y.to_vec::<f32>()?);
    let slope = |(grad, y): (f32, f32)| grad * (1.0 - (y / cap as f32) * (y / cap as f32));
    Tensor::from_vec(both.map(slope).collect(), &y.shape())
}

/// Calls an operator, so that recordings contain the gradient's operators.
fn gradient(call: &BackwardCall<'_>) -> Result<Vec<Option<Tensor>>> {
    let Some(ValueRef::Float(cap)) = call.saved().get(1) else {
        return Err(Error::new(Status::TYPE, "soft_cap: cap must be saved"));
    };
    let backward = Op::find("model_rust::soft_cap_backward")?;
    let grad: Tensor = backward.call((call.grad(0)?, call.saved_tensor(0)?, cap))?;
    Ok(vec![Some(grad)])
}

fn load() -> Result<Library> {
    let library = Library::define_namespace("model_rust")?;
    library.define("soft_cap(Tensor x, float cap) -> Tensor")?;
    library.define("soft_cap_backward(Tensor grad, Tensor y, float cap) -> Tensor")?;
    library.impl_fn("soft_cap", DispatchKey::CPU, soft_cap)?;
    library.impl_fn("soft_cap_backward", DispatchKey::CPU, soft_cap_backward)?;
    let formula = Formula::new(gradient).saves(&["result", "cap"]);
    library.register_autograd("soft_cap", formula)?;
    Ok(library)
}

tenon::plugin! { name: "model_rust", version: "0.1.0", load: load }
