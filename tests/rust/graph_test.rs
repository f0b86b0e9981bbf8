// SPDX-License-Identifier: Apache-2.0
//! Graphs: recorded, run, changed, saved, defined as operators.

use tenon::graph::{
    Builder, Graph, Ref, ANY_SIZES, BELOW_AUTOGRAD, FOLD_CONSTANTS, IGNORE_LITERALS, MERGE_COMMON,
    REMOVE_DEAD, STRICT,
};
use tenon::{Library, Op, Status, Tensor, Value};

use crate::support::{fails, read};

fn pair(a: f32, b: f32) -> Tensor {
    Tensor::from_vec(vec![a, b], &[2]).unwrap()
}

fn block(given: &[&Tensor]) -> tenon::Result<Vec<Tensor>> {
    Ok(vec![(&(given[0] * given[1])?.relu()? + given[0])?])
}

fn recorded() -> Graph {
    Graph::record(&[&pair(1.0, 1.0), &pair(1.0, 1.0)], block).unwrap()
}

#[test]
fn recorded_functions_run_on_other_values() {
    // [quote.begin record]
    let graph = Graph::record(&[&pair(1.0, 1.0), &pair(1.0, 1.0)], |given| {
        Ok(vec![(&(given[0] * given[1])?.relu()? + given[0])?])
    })
    .unwrap();
    let y = graph.run(&[&pair(3.0, -1.0), &pair(2.0, 5.0)]).unwrap();
    // [quote.end]
    let ops: Vec<String> = (0..3).map(|i| graph.op(i).unwrap()).collect();
    assert_eq!(ops, ["aten::mul.Tensor", "aten::relu", "aten::add.Tensor"]);
    assert_eq!(graph.input_count(), 2);
    assert_eq!(read(&y[0]), [9.0, -1.0]);
    fails(graph.run(&[]), Status::INVALID_ARGUMENT, &["2 inputs"]);
}

#[test]
fn what_is_captured_is_held() {
    let w = pair(2.0, 3.0);
    let graph = Graph::record(&[&pair(1.0, 1.0)], |x| {
        let square = (&w * &w)?;
        x[0].sin()?;
        Ok(vec![(x[0] * &square)?])
    })
    .unwrap();
    assert_eq!((graph.attribute_count(), graph.node_count()), (1, 3));
    let passes = FOLD_CONSTANTS | MERGE_COMMON | REMOVE_DEAD;
    let small = graph.transform(passes).unwrap();
    assert_eq!(small.node_count(), 1);
    for each in [graph, small] {
        let y = each.run(&[&pair(1.0, 2.0)]).unwrap();
        assert_eq!(read(&y[0]), [4.0, 18.0]);
    }
}

fn names(graph: &Graph) -> Vec<String> {
    (0..graph.node_count())
        .map(|i| graph.op(i).unwrap())
        .collect()
}

// relu(x * x) + x
fn square_and_relu() -> Graph {
    Graph::record(&[&pair(1.0, 1.0)], |x| {
        Ok(vec![(&(x[0] * x[0])?.relu()? + x[0])?])
    })
    .unwrap()
}

#[test]
fn passes_keep_replace_and_remove_calls() {
    let graph = square_and_relu();
    // [quote.begin rewrite]
    let square = Op::find("aten::square").unwrap();
    let smaller = graph
        .rewrite(|call| match call.name() {
            "aten::relu" => call.replace(call.arg(0)?),
            "aten::mul.Tensor" if call.value(0) == call.value(1) => {
                let made = call.append(square, (&call.arg(0)?,))?;
                call.replace(made)
            }
            _ => Ok(()),
        })
        .unwrap();
    // [quote.end]
    assert_eq!(names(&smaller), ["aten::square", "aten::add.Tensor"]);
    assert_eq!(
        read(&smaller.run(&[&pair(2.0, -3.0)]).unwrap()[0]),
        [6.0, 6.0]
    );
    smaller.check().unwrap();
}

#[test]
fn passes_that_fail_tell_why() {
    let graph = square_and_relu();
    fails(
        graph.rewrite(|call| call.replace_all(vec![])),
        Status::INVALID_ARGUMENT,
        &["call's 1, got 0"],
    );
    fails(
        graph.rewrite(|call| call.arg(7).map(|_| ())),
        Status::INDEX,
        &["below 2, got 7"],
    );
    let removed = graph.rewrite(|call| {
        call.remove();
        Ok(())
    });
    fails(
        removed,
        Status::STATE,
        &["must not be used, as its call was removed"],
    );
    let panicked = graph.rewrite(|_| panic!("no pass"));
    let error = panicked.err().unwrap();
    assert!(error.is_panic());
    assert!(error.notes()[0].contains("in node 0 of a graph, aten::mul.Tensor"));
}

#[test]
fn patterns_are_replaced() {
    // [quote.begin pattern]
    let (x, y) = (pair(1.0, 1.0), pair(1.0, 1.0));
    let graph = Graph::record(&[&x, &y], block).unwrap();
    let pattern = Graph::record(&[&x, &y], |x| Ok(vec![(x[0] * x[1])?.relu()?])).unwrap();
    let replacement = Graph::record(&[&x, &y], |x| Ok(vec![(x[0] + &x[1].abs()?)?])).unwrap();
    let (changed, count) = graph.replace_pattern(&pattern, &replacement, 0).unwrap();
    // [quote.end]
    assert_eq!(count, 1);
    let y = changed.run(&[&pair(1.0, 2.0), &pair(-3.0, 4.0)]).unwrap();
    assert_eq!(read(&y[0]), [5.0, 8.0]);
    let (_, none) = graph
        .replace_pattern(&replacement, &pattern, IGNORE_LITERALS)
        .unwrap();
    assert_eq!(none, 0);
}

#[test]
fn graphs_are_built_and_walked() {
    // [quote.begin build]
    let builder = Builder::new().unwrap();
    let x = builder.input("x").unwrap();
    let w = builder.attribute(&pair(2.0, 3.0), "w").unwrap();
    let mul = Op::find("aten::mul.Tensor").unwrap();
    let product = builder.append(mul, (x, w)).unwrap();
    builder
        .output(builder.append(mul, (product, 10)).unwrap())
        .unwrap();
    let graph = builder.finish();
    // [quote.end]
    let node = graph.node(1).unwrap();
    assert_eq!(node.op.name(), "aten::mul.Tensor");
    assert_eq!(Ref::of(&node.args[0]), Some(product));
    assert!(matches!(node.args[1], Value::Int(10)));
    assert_eq!(node.results, [Ref(3)]);
    assert_eq!(graph.users(x).unwrap(), [0]);
    assert_eq!(graph.users(Ref(3)).unwrap(), [2]);
    assert!(graph.frames(0).is_empty());
    assert_eq!(
        read(&graph.run(&[&pair(1.0, 2.0)]).unwrap()[0]),
        [20.0, 60.0]
    );
    fails(graph.node(9), Status::INDEX, &["below 2"]);
    let builder = Builder::new().unwrap();
    fails(builder.append(mul, (Ref(4), 1)), Status::INDEX, &["%4"]);
    fails(
        builder.input("1x"),
        Status::INVALID_ARGUMENT,
        &["identifier"],
    );
}

#[test]
fn functionalized_graphs_write_nothing() {
    let graph = Graph::record(&[&pair(1.0, 1.0)], |x| {
        Ok(vec![tenon::aten::neg_(&x[0].exp()?)?])
    });
    let pure = graph.unwrap().functionalize(0).unwrap();
    assert!(!pure.text().unwrap().contains("aten::neg_"));
    assert_eq!(
        read(&pure.run(&[&pair(0.0, 0.0)]).unwrap()[0]),
        [-1.0, -1.0]
    );
}

#[test]
fn failures_leave_nothing_on() {
    let x = pair(1.0, 1.0);
    let failing = Graph::record(&[&x, &x], block);
    fails(failing, Status::INVALID_ARGUMENT, &["new to the recording"]);
    let strict = Graph::record_with(STRICT, &[&x], |x| {
        Op::find("aten::item")?.call::<Value>((&x[0].sum()?,))?;
        Ok(vec![])
    });
    fails(strict, Status::DATA_DEPENDENT, &["strict"]);
    let panicked = std::panic::catch_unwind(|| Graph::record(&[], |_| panic!("inside")));
    assert!(panicked.is_err());
    // SAFETY: reads this thread's state only.
    assert_eq!(unsafe { tenon::sys::tenon_graph_is_recording() }, 0);
}

#[test]
fn files_read_back() {
    let path = std::env::temp_dir().join(format!("tenon_rust_graph_{}", std::process::id()));
    let graph = recorded();
    // [quote.begin file]
    graph.save(&path).unwrap();
    let again = Graph::load(&path).unwrap();
    // [quote.end]
    assert_eq!(again.text().unwrap(), graph.text().unwrap());
    std::fs::remove_file(&path).unwrap();
    fails(Graph::load(&path), Status::SYSTEM, &["tenon_rust_graph"]);
}

#[test]
fn what_python_wrote_runs() {
    let root = std::env::var("TENON_SOURCE_DIR")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../..").into());
    let file = format!("{root}/tests/conformance/graphs/block.safetensors");
    let graph = Graph::load(file).unwrap();
    let x = Tensor::from_vec(vec![1.0f32, 2.0], &[1, 2]).unwrap();
    let results = graph.run(&[&x]).unwrap();
    assert_eq!(read(&results[0]), [11.0]);
    assert_eq!(results[1].to_vec::<i64>().unwrap(), [0]);
}

#[test]
fn graphs_are_operators() {
    let library = Library::define_namespace("rust_graphs").unwrap();
    let op = recorded().define(&library, "rust_graphs::block").unwrap();
    let y: Tensor = op.call((&pair(3.0, -1.0), &pair(2.0, 5.0))).unwrap();
    assert_eq!(read(&y), [9.0, -1.0]);
}

#[test]
fn threads_share_a_graph() {
    let graph = recorded();
    std::thread::scope(|scope| {
        for n in 0..4 {
            let graph = &graph;
            scope.spawn(move || {
                let (x, w) = (pair(n as f32, 1.0), pair(2.0, 0.0));
                let y = graph.run(&[&x, &w]).unwrap();
                assert_eq!(read(&y[0]), [3.0 * n as f32, 1.0]);
            });
        }
    });
}

fn ones(rows: i64) -> Tensor {
    Tensor::from_vec(vec![1.0f32; 3 * rows as usize], &[rows, 3]).unwrap()
}

#[test]
fn graphs_with_sizes_run_with_others() {
    // [quote.begin dynamic]
    let graph = Graph::record_dynamic(&[&ones(4)], &[&[Some("batch"), None]], |given| {
        Ok(vec![given[0].relu()?.t()?])
    })
    .unwrap();
    let y = graph.run(&[&ones(7)]).unwrap();
    // [quote.end]
    assert_eq!(y[0].shape(), [3, 7]);
    assert!(graph.guards().unwrap().is_empty());
    let wide = Tensor::from_vec(vec![1.0f32; 8], &[4, 2]).unwrap();
    fails(
        graph.run(&[&wide]),
        Status::INVALID_ARGUMENT,
        &["of size 3, at dim 1, got 2"],
    );
    fails(
        Graph::record_dynamic(&[&ones(4)], &[&[Some("batch")]], |_| Ok(vec![])),
        Status::INVALID_ARGUMENT,
        &["as many as the tensor has, 2, got 1"],
    );
}

#[test]
fn sizes_that_must_agree_are_guards() {
    let own: &[Option<&str>] = &[Some(""), None];
    let graph = Graph::record_dynamic(&[&ones(4), &ones(4)], &[own, own], |given| {
        Ok(vec![(given[0] + given[1])?])
    })
    .unwrap();
    assert_eq!(graph.guards().unwrap(), ["s0 == s1"]);
    fails(
        graph.run(&[&ones(4), &ones(5)]),
        Status::INVALID_ARGUMENT,
        &["sizes must satisfy s0 == s1"],
    );
}

#[test]
fn a_file_of_python_with_sizes_runs() {
    let root = std::env::var("TENON_SOURCE_DIR")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../..").into());
    let file = format!("{root}/tests/conformance/graphs/dynamic.safetensors");
    let graph = Graph::load(file).unwrap();
    assert_eq!(
        read(&graph.run(&[&ones(2)]).unwrap()[0]),
        [9.0, 0.0, 9.0, 0.0]
    );
    assert_eq!(graph.run(&[&ones(5)]).unwrap()[0].shape(), [10]);
    assert_eq!(graph.run(&[&ones(5)]).unwrap()[1].shape(), [5]);
}

#[test]
fn runs_refuse_sizes_that_were_numbers() {
    let mean = |given: &[&Tensor]| {
        let size = Tensor::scalar(given[0].shape()[0] as f32)?;
        Ok(vec![(&given[0].sum()? / &size)?])
    };
    let four = Tensor::from_vec(vec![1.0f32; 4], &[4]).unwrap();
    let two = Tensor::from_vec(vec![1.0f32; 2], &[2]).unwrap();
    let graph = Graph::record(&[&four], mean).unwrap();
    assert_eq!(graph.run(&[&four]).unwrap()[0].item::<f32>().unwrap(), 1.0);
    let error = graph.run(&[&two]).unwrap_err();
    assert_eq!(error.status(), Status::INVALID_ARGUMENT);
    assert!(error.message().contains("x0 must be of size 4"), "{error}");
    let flags = BELOW_AUTOGRAD | ANY_SIZES;
    let double = |given: &[&Tensor]| Ok(vec![(given[0] + given[0])?]);
    let graph = Graph::record_with(flags, &[&four], double).unwrap();
    assert_eq!(graph.run(&[&two]).unwrap()[0].shape(), [2]);
}

#[test]
fn a_constant_that_the_function_writes_is_new_in_each_run() {
    let count = |given: &[&Tensor]| {
        let total = Tensor::from_vec(vec![0.0f32; 2], &[2])?;
        total.add_(given[0])?;
        Ok(vec![total])
    };
    let ones = Tensor::from_vec(vec![1.0f32; 2], &[2]).unwrap();
    let graph = Graph::record(&[&ones], count).unwrap();
    for _ in 0..3 {
        let total = &graph.run(&[&ones]).unwrap()[0];
        assert_eq!(total.to_vec::<f32>().unwrap(), [1.0, 1.0]);
    }
}
