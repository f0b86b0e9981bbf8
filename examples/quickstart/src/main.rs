// SPDX-License-Identifier: Apache-2.0
//! Quick start in Rust: define an operator, give it a kernel, call it.

// [quickstart.begin]
use tenon::{args, DispatchKey, Library, Op, Result, Tensor};

fn main() -> Result<()> {
    let library = Library::define_namespace("quick_rust")?;
    library.define("twice(Tensor x) -> Tensor")?;
    library.impl_fn("twice", DispatchKey::CPU, |x: &Tensor| x + x)?;
    let x = Tensor::from_vec(vec![1f32, 2.0], &[2])?;
    let y: Tensor = Op::find("quick_rust::twice")?.call(args![&x])?;
    println!("{y}");
    Ok(())
}
// [quickstart.end]
