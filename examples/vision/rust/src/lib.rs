// SPDX-License-Identifier: Apache-2.0
//! The Rust part of the vision example: the schema of edges, the kernel of gaussian_blur, a caller.

use tenon::{args, DispatchKey, Error, Library, Op, Result, Status, Tensor};

/// Returns the weights of a Gaussian with a standard deviation of `sigma` pixels, cut off at 3
/// `sigma`.
fn gaussian(sigma: f64) -> Vec<f32> {
    let radius = (3.0 * sigma).ceil() as i64;
    let weight = |x: i64| (-0.5 * (x as f64 / sigma).powi(2)).exp();
    let total: f64 = (-radius..=radius).map(weight).sum();
    (-radius..=radius)
        .map(|x| (weight(x) / total) as f32)
        .collect()
}

/// Blurs along a dim of `length` elements that are `stride` apart; edges are repeated.
fn pass(from: &[f32], to: &mut [f32], weights: &[f32], length: usize, stride: usize) {
    let radius = (weights.len() / 2) as isize;
    for (index, out) in to.iter_mut().enumerate() {
        let position = index / stride % length;
        let base = index - position * stride;
        *out = weights
            .iter()
            .zip(-radius..)
            .fold(0.0, |sum, (weight, shift)| {
                let at = (position as isize + shift).clamp(0, length as isize - 1) as usize;
                sum + weight * from[base + at * stride]
            });
    }
}

/// Blurs a float32 picture [height, width, channels].
fn gaussian_blur(image: &Tensor, sigma: f64) -> Result<Tensor> {
    let shape = image.shape();
    if shape.len() != 3 || sigma <= 0.0 {
        let text = format!(
            "vision::gaussian_blur: image must have 3 dims and sigma be above 0, got {shape:?} and \
             {sigma}"
        );
        return Err(Error::new(Status::INVALID_ARGUMENT, &text));
    }
    let (height, width, channels) = (shape[0] as usize, shape[1] as usize, shape[2] as usize);
    let weights = gaussian(sigma);
    let pixels = image.to_vec::<f32>()?;
    let mut across = vec![0.0; pixels.len()];
    let mut both = vec![0.0; pixels.len()];
    pass(&pixels, &mut across, &weights, width, channels);
    pass(&across, &mut both, &weights, height, width * channels);
    Tensor::from_vec(both, &shape)
}

/// Runs the five operators; returns the blurred picture, the edges and the result.
fn pipeline(image: &Tensor) -> Result<(Tensor, Tensor, Tensor)> {
    let linear: Tensor = Op::find("vision::to_linear")?.call(args![image])?;
    let blurred: Tensor = Op::find("vision::gaussian_blur")?
        .args()
        .arg(&linear)
        .call()?;
    let (edges, _): (Tensor, Tensor) = Op::find("vision::edges")?
        .args()
        .arg(&blurred)
        .named("gain", 4.0)
        .call()?;
    let inked: Tensor = Op::find("vision::ink")?.call(args![&linear, &edges, 0.9])?;
    let result: Tensor = Op::find("vision::to_srgb")?.call(args![&inked])?;
    Ok((blurred, edges, result))
}

fn load() -> Result<(Library, Library)> {
    let library = Library::fragment("vision")?;
    library.define("edges(Tensor image, *, float gain=1.0) -> (Tensor, Tensor)")?;
    library.impl_fn("gaussian_blur", DispatchKey::CPU, gaussian_blur)?;
    let caller = Library::define_namespace("vision_rust")?;
    caller.define("pipeline(Tensor image) -> (Tensor, Tensor, Tensor)")?;
    caller.impl_fn(
        "pipeline",
        DispatchKey::COMPOSITE_IMPLICIT_AUTOGRAD,
        pipeline,
    )?;
    Ok((library, caller))
}

tenon::plugin! { name: "vision_rust", version: "0.1.0", load: load }
