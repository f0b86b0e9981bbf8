// SPDX-License-Identifier: Apache-2.0
//! A plugin in Rust: from_rust::halve.

use tenon::{DispatchKey, Library, Result, Tensor};

fn halve(x: &Tensor) -> Result<Tensor> {
    let halved = x.to_vec::<f32>()?.into_iter().map(|v| v / 2.0).collect();
    Tensor::from_vec(halved, &x.shape())
}

fn load() -> Result<Library> {
    let library = Library::define_namespace("from_rust")?;
    library.define("halve(Tensor x) -> Tensor")?;
    library.impl_fn("halve", DispatchKey::CPU, halve)?;
    Ok(library)
}

tenon::plugin! { name: "from_rust", version: "1.0.0", load: load }
