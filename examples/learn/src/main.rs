// SPDX-License-Identifier: Apache-2.0
//! Trains a small network on handwritten digits, with Tenon's operators and `backward`.

use tenon::aten::{AmaxOptions, ArgmaxOptions, SubInPlaceTensorOptions};
use tenon::{grad_mode, DType, Device, Error, Generator, Result, Status, Tensor};

const EPOCHS: i64 = 40;
const BATCH: usize = 32;
const TRAINING: i64 = 1437; // images; the remaining ones are held out

fn zeros(shape: &[i64]) -> Result<Tensor> {
    Tensor::zeros(shape, DType::F32, Device::CPU)
}

fn weight(ins: i64, outs: i64, generator: &Generator) -> Result<Tensor> {
    let bound = (6.0 / (ins + outs) as f64).sqrt();
    let weight = zeros(&[ins, outs])?;
    weight.uniform_(-bound, bound, Some(generator))?;
    Ok(weight)
}

fn logits(x: &Tensor, p: &[Tensor; 4]) -> Result<Tensor> {
    let hidden = (&x.mm(&p[0])? + &p[1])?.relu()?;
    &hidden.mm(&p[2])? + &p[3]
}

fn cross_entropy(logits: &Tensor, target: &Tensor) -> Result<Tensor> {
    let largest = logits.detach()?.amax_with(AmaxOptions {
        dim: &[1],
        keepdim: true,
    })?;
    let z = (logits - &largest)?;
    let all = z.exp()?.sum_dims(&[1], false)?.log()?;
    (&all - &(&z * target)?.sum_dims(&[1], false)?)?.mean()
}

fn step(parameters: &[Tensor; 4], rate: f64) -> Result<()> {
    for parameter in parameters {
        if let Some(grad) = parameter.grad() {
            let alpha = rate.into();
            parameter.sub_with_(&grad, SubInPlaceTensorOptions { alpha })?;
        }
        parameter.set_grad(None)?;
    }
    Ok(())
}

fn main() -> Result<()> {
    let path = std::env::args().nth(1);
    let path = path.as_deref().unwrap_or("examples/learn/data/digits.bin");
    let bytes = std::fs::read(path)
        .map_err(|error| Error::new(Status::SYSTEM, format!("learn: {path}: {error}")))?;
    let rows: Vec<&[u8]> = bytes.chunks_exact(65).collect();
    let pixels = rows.iter().flat_map(|row| &row[..64]);
    let images = Tensor::from_vec(
        pixels.map(|&pixel| f32::from(pixel) / 16.0).collect(),
        &[rows.len() as i64, 64],
    )?;
    let ones = rows // 1 at the label, 0 elsewhere
        .iter()
        .flat_map(|row| (0..10).map(|digit| f32::from(u8::from(row[64] == digit))));
    let targets = Tensor::from_vec(ones.collect(), &[rows.len() as i64, 10])?;

    let generator = Generator::new(Device::CPU, 2)?;
    let (w1, w2) = (weight(64, 32, &generator)?, weight(32, 10, &generator)?);
    let (b1, b2) = (zeros(&[32])?, zeros(&[10])?);
    let parameters = [w1, b1, w2, b2];
    for parameter in &parameters {
        parameter.set_requires_grad(true)?;
    }

    for epoch in 0..EPOCHS {
        let rate = 0.8 * (EPOCHS - epoch) as f64 / EPOCHS as f64;
        for start in (0..TRAINING).step_by(BATCH) {
            let end = TRAINING.min(start + BATCH as i64);
            let x = images.slice(0, Some(start), Some(end), 1)?;
            let target = targets.slice(0, Some(start), Some(end), 1)?;
            cross_entropy(&logits(&x, &parameters)?, &target)?.backward()?;
            grad_mode::no_grad(|| step(&parameters, rate))??;
        }
    }

    let held_out = logits(&images.slice(0, Some(TRAINING), None, 1)?, &parameters)?;
    let guesses = held_out
        .argmax_with(ArgmaxOptions {
            dim: Some(1),
            keepdim: false,
        })?
        .to_vec::<i64>()?;
    let labels = rows[TRAINING as usize..].iter().map(|row| row[64]);
    let right = guesses.iter().zip(labels);
    let right = right.filter(|(&guess, label)| guess == i64::from(*label));
    let share = 100.0 * right.count() as f64 / guesses.len() as f64;
    println!("{share:.1} % of held-out digits are right");
    Ok(())
}
