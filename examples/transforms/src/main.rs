// SPDX-License-Identifier: Apache-2.0
//! The lens of lens.py: its surface is found by tracing rays, differentiated by its two parameters.

use tenon::func::{jacfwd, vmap_with, VmapOptions};
use tenon::{Error, Result, Status, Tensor};

const INDEX: f64 = 1.5; // refractive index of the glass
const FOCUS: f64 = 2.0; // where the rays should meet, measured from the vertex

fn one_minus(x: &Tensor) -> Result<Tensor> {
    &(x * -1.0)? + 1.0
}

/// Traces one ray; returns its distance from the focus in the focal plane.
fn miss(surface: &Tensor, height: &Tensor) -> Result<Tensor> {
    let (curvature, conic) = (surface.select(0, 0)?, surface.select(0, 1)?);
    let square = (&(height * height)? * &curvature)?;
    let root = one_minus(&(&(&(&conic + 1.0)? * &square)? * &curvature)?)?.sqrt()?;
    let sag = (&square / &(&root + 1.0)?)?;
    let slope = (&(&curvature * height)? / &root)?;
    // Snell's law by vectors: the normal is (1, slope) / sqrt(1 + slope^2), the ray (1, 0).
    let cos_in = (&(&slope * &slope)? + 1.0)?.sqrt()?.reciprocal()?;
    let sin_square = one_minus(&(&cos_in * &cos_in)?)?;
    let cos_out = one_minus(&(&sin_square * (INDEX * INDEX))?)?.sqrt()?;
    let bent = (&(&cos_out - &(&cos_in * INDEX)?)? * &cos_in)?;
    let across = (&(&bent * &slope)? / &(&bent + INDEX)?)?;
    height + &(&across * &(&sag + FOCUS)?)?
}

/// One step of Gauss-Newton, by the normal equations.
fn improved(s: [f64; 2], misses: &Tensor, jacobian: &Tensor) -> Result<[f64; 2]> {
    let transposed = jacobian.t()?;
    let m = transposed.mm(jacobian)?.contiguous()?.to_vec::<f64>()?;
    let r = transposed.matmul(misses)?.contiguous()?.to_vec::<f64>()?;
    let determinant = m[0] * m[3] - m[1] * m[2];
    Ok([
        s[0] - (m[3] * r[0] - m[1] * r[1]) / determinant,
        s[1] - (m[0] * r[1] - m[2] * r[0]) / determinant,
    ])
}

fn main() -> Result<()> {
    let places: Vec<f64> = (-6..=6).map(|i| 0.1 * f64::from(i)).collect();
    let heights = Tensor::from_slice(&places, &[13])?;
    let rays = vmap_with(miss, VmapOptions::new().in_dims(&[None, Some(0)]));
    let misses = |surface: &Tensor| rays.call((surface, &heights));
    let mut surface = [0.7, 0.0];
    for _ in 0..12 {
        let now = Tensor::from_slice(&surface, &[2])?;
        surface = improved(surface, &misses(&now)?, &jacfwd(misses).call(&now)?)?;
    }
    let left = misses(&Tensor::from_slice(&surface, &[2])?)?;
    let worst = left
        .to_vec::<f64>()?
        .into_iter()
        .fold(0.0, |worst: f64, each| worst.max(each.abs()));
    println!(
        "lens: curvature {:.4}, conic constant {:.4}; rays miss the focus by {worst:.0e}",
        surface[0], surface[1]
    );
    if worst < 1e-9 {
        return Ok(());
    }
    Err(Error::new(Status::RUNTIME, "rays must meet"))
}
