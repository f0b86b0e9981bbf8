// SPDX-License-Identifier: Apache-2.0
//! Wrong calls about generators of random numbers.

use tenon::{Device, Generator, Result};

use super::tensors::device;
use super::{field, number, World};

pub fn generator_make(_: &World, args: &[&str]) -> Option<Result<()>> {
    let device = device(args[1]);
    let made = match args[0] {
        "new" => Generator::new(device, 1),
        _ => Generator::default_for(device),
    };
    Some(made.map(drop))
}

/// Returns a CPU generator that has drawn one number.
fn good_generator() -> Generator {
    let generator = Generator::new(Device::CPU, 42).unwrap();
    generator.random(&mut [0]).unwrap();
    generator
}

fn samples(generator: &Generator) -> [f64; 3] {
    let mut samples = [0.0; 3];
    generator.normal(&mut samples).unwrap();
    samples
}

/// After refusing a state, a generator must continue its sequence unchanged.
pub fn generator_set_state(_: &World, args: &[&str]) -> Option<Result<()>> {
    let generator = good_generator();
    let mut state = generator.state().unwrap();
    if let Some(size) = args[0].strip_prefix("@size ") {
        state.resize(usize::try_from(number(size)).ok()?, 0);
    } else if let Some(byte) = args[0].strip_prefix("@bytes ") {
        state.fill(number(byte) as u8);
    } else {
        // without an offset, the buffer is NULL, which a slice cannot be
        let offset = field(args[0], "offset")?;
        state[offset as usize] = field(args[0], "byte").unwrap() as u8;
    }
    let result = generator.set_state(&state);
    assert_eq!(samples(&generator), samples(&good_generator()));
    Some(result)
}
