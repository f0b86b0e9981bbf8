// SPDX-License-Identifier: Apache-2.0
//! Wrong calls about explanations and simulators.

use tenon::introspect::Simulator;
use tenon::Result;

use super::{called, key, return_first, text, World};

pub fn explain(world: &World, args: &[&str]) -> Option<Result<()>> {
    if args[0].starts_with('@') || args[1].starts_with('@') {
        return None; // an operator has a schema, a slice its own length
    }
    let values = world.values(args[1])?;
    let (_library, op) = called(args[0], return_first());
    Some(op.explain(&values).map(drop))
}

pub fn simulator_new(_: &World, args: &[&str]) -> Option<Result<()>> {
    Some(Simulator::new(args[0]).map(drop))
}

/// Makes a simulator with kernels on CPU and Autograd, which must be unchanged afterwards.
fn with_simulator(call: impl FnOnce(&Simulator) -> Option<Result<()>>) -> Option<Result<()>> {
    let simulator = Simulator::new("f(Tensor x) -> Tensor").unwrap();
    simulator.register(&["CPU", "Autograd"]).unwrap();
    let before = simulator.raw_registrations().unwrap();
    let result = call(&simulator);
    assert_eq!(simulator.raw_registrations().unwrap(), before);
    result
}

pub fn simulator_register(_: &World, args: &[&str]) -> Option<Result<()>> {
    if args[0].starts_with("@null") || args[0].starts_with("@count") {
        return None; // a slice has an address and a length
    }
    let split = args[0].split(',');
    let keys = split
        .map(|key| text(if key == "@empty" { "" } else { key }))
        .collect::<Option<Vec<_>>>()?;
    with_simulator(|simulator| match args[1] {
        "0" => Some(simulator.register(&keys)),
        "1" => Some(simulator.register_fallthrough(&keys)),
        _ => None, // flags are functions
    })
}

pub fn simulator_remove(_: &World, args: &[&str]) -> Option<Result<()>> {
    let name = text(args[0])?;
    with_simulator(|simulator| Some(simulator.remove(name)))
}

pub fn simulator_slot(_: &World, args: &[&str]) -> Option<Result<()>> {
    if args[0].contains('=') {
        return None; // the struct is Rust's own
    }
    with_simulator(|simulator| Some(simulator.slot(key(args[0])).map(drop)))
}
