// SPDX-License-Identifier: Apache-2.0
//! A plugin in Rust: one operator, its schema and its CPU kernel. Build it as a `cdylib`.

use std::fmt;

use tenon::{DispatchKey, Error, Library, Result, Tensor};

/// A custom error type, which Rust callers of the same library get back unchanged.
#[derive(Debug)]
struct EmptyRange {
    min: f64,
    max: f64,
}

impl fmt::Display for EmptyRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "rust_example::clamp: min must be at most {}, got {}",
            self.max, self.min
        )
    }
}

impl std::error::Error for EmptyRange {}

fn clamp(x: &Tensor, min: f64, max: f64) -> Result<Tensor> {
    if min > max {
        return Err(Error::from_error(EmptyRange { min, max }));
    }
    let clamped = x
        .to_vec::<f32>()?
        .into_iter()
        .map(|v| v.clamp(min as f32, max as f32))
        .collect();
    Tensor::from_vec(clamped, &x.shape())
}

fn load() -> Result<Library> {
    let library = Library::define_namespace("rust_example")?;
    library.define("clamp(Tensor x, float min=0.0, float max=1.0) -> Tensor")?;
    library.impl_fn("clamp", DispatchKey::CPU, clamp)?;
    Ok(library)
}

tenon::plugin! { name: "rust_example", version: "1.0.0", load: load }
