// SPDX-License-Identifier: Apache-2.0
//! Trains with the graph that model.py wrote: model_run GRAPH DIGITS TRAINED PLUGINS

use tenon::graph::Graph;
use tenon::{Error, Plugin, Result, Status, Tensor};

const BATCH: usize = 32;
const ROW: usize = 65;
const STEPS: usize = 44;
const DONE: usize = 2; // model.py has taken two steps

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [graph, digits, trained, plugins @ ..] = arguments.as_slice() else {
        let text = "model_run: give GRAPH DIGITS TRAINED PLUGINS";
        return Err(Error::new(Status::INVALID_ARGUMENT, text));
    };
    for plugin in plugins {
        Plugin::load(plugin)?;
    }
    let rows = std::fs::read(digits).map_err(Error::from_error)?;
    let step = Graph::load(graph)?;
    let mut loss = 0.0;
    for batch in rows.chunks_exact(BATCH * ROW).take(STEPS).skip(DONE) {
        let batch = Tensor::from_slice(batch, &[BATCH as i64, ROW as i64])?;
        loss = step.run(&[&batch])?[0].item::<f32>()?;
    }
    step.save(trained)?; // parameters have changed
    println!("loss {loss:.4}");
    Ok(())
}
