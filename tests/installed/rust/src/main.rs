// SPDX-License-Identifier: Apache-2.0
//! Calls the program's own operator, one of ATen and those of plugins in other languages, and reads
//! an error, from Rust.

use tenon::{DispatchKey, Library, Op, Plugin, Result, Tensor};

fn main() -> Result<()> {
    let library = Library::define_namespace("consumer")?;
    library.define("square(int x) -> int")?;
    library.impl_fn("square", DispatchKey::CPU, |x: i64| x * x)?;
    let square: i64 = Op::find("consumer::square")?.call(tenon::args![7])?;
    println!("square {square}");

    let x = Tensor::from_vec(vec![-1.0f32, 0.0, 2.0], &[3])?;
    println!("relu {:?}", x.relu()?.to_vec::<f32>()?);
    for plugin in std::env::args().skip(1) {
        Plugin::load(&plugin)?;
    }
    let twice: Tensor = Op::find("from_cpp::twice")?.call(tenon::args![&x])?;
    println!("twice {:?}", twice.to_vec::<f32>()?);
    let negated: i64 = Op::find("from_c::negate")?.call(tenon::args![5])?;
    println!("negate {negated}");
    let halved: Tensor = Op::find("from_rust::halve")?.call(tenon::args![&x])?;
    println!("halve {:?}", halved.to_vec::<f32>()?);

    match Op::find("aten::relu")?.call::<Tensor>(tenon::args!["no tensor"]) {
        Ok(_) => println!("no error"),
        Err(error) => println!("error {}", error.message()),
    }
    Ok(())
}
