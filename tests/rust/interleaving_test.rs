// SPDX-License-Identifier: Apache-2.0
//! Runs all interleavings of threads' steps: cloning and dropping handles, reading shapes,
//! resizing, removing registrations, panicking. The threads are real; a schedule decides which one
//! steps next, and all schedules are tried, as in loom.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;

use tenon::{DispatchKey, Library, Object, ObjectType, Op, Registration, Status, Tensor};

type Step<S> = fn(&mut S);

/// A thread with its own state, and its steps in order.
struct Script<S: 'static> {
    state: S,
    steps: &'static [Step<S>],
}

trait Player: Send {
    fn len(&self) -> usize;
    fn step(&mut self, index: usize);
}

impl<S: Send> Player for Script<S> {
    fn len(&self) -> usize {
        self.steps.len()
    }

    fn step(&mut self, index: usize) {
        self.steps[index](&mut self.state);
    }
}

fn script<S: Send + 'static>(state: S, steps: &'static [Step<S>]) -> Box<dyn Player> {
    Box::new(Script { state, steps })
}

/// All orders of `counts[i]` steps of each thread `i`.
fn schedules(counts: &[usize]) -> Vec<Vec<usize>> {
    if counts.iter().all(|&count| count == 0) {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for first in (0..counts.len()).filter(|&one| counts[one] > 0) {
        let mut rest = counts.to_vec();
        rest[first] -= 1;
        for mut tail in schedules(&rest) {
            tail.insert(0, first);
            all.push(tail);
        }
    }
    all
}

/// Plays one schedule: each entry lets one thread take a step and waits for it.
fn play(players: Vec<Box<dyn Player>>, schedule: &[usize]) {
    thread::scope(|scope| {
        let (report, reports) = mpsc::channel();
        let turns: Vec<_> = players
            .into_iter()
            .map(|mut player| {
                let (turn, turns) = mpsc::channel();
                let report = report.clone();
                scope.spawn(move || {
                    for index in turns {
                        player.step(index);
                        report.send(()).unwrap();
                    }
                });
                turn
            })
            .collect();
        drop(report);
        let mut next = vec![0; turns.len()];
        for &thread in schedule {
            turns[thread].send(next[thread]).unwrap();
            next[thread] += 1;
            if reports.recv().is_err() {
                break; // the thread panicked: the scope passes that on
            }
        }
    });
}

/// Plays all schedules of fresh players; returns their number.
fn interleave(fresh: impl Fn() -> Vec<Box<dyn Player>>) -> usize {
    let counts: Vec<_> = fresh().iter().map(|player| player.len()).collect();
    let all = schedules(&counts);
    for schedule in &all {
        let players = fresh();
        if catch_unwind(AssertUnwindSafe(|| play(players, schedule))).is_err() {
            panic!("schedule {schedule:?}");
        }
    }
    all.len()
}

fn ones(shape: &[i64]) -> Tensor {
    tenon::aten::ones(shape).unwrap()
}

// ---- Tensors ------------------------------------------------------------------------------------

const SHAPES: [&[i64]; 3] = [&[2, 3], &[1, 1, 2, 1, 1, 1, 50], &[4000]];

fn resize(tensor: &Tensor, shape: &[i64]) {
    let op = Op::find("aten::add.out").unwrap();
    let term = ones(shape);
    let call = op.args().arg(&term).arg(&term).named("out", tensor);
    call.call::<Tensor>().unwrap();
}

fn expect_one_shape(tensor: &Tensor) {
    let shape = tensor.shape();
    assert!(SHAPES.iter().any(|known| shape == **known), "{shape:?}");
    assert_eq!(tensor.strides().len(), tensor.ndim());
    let elements = tensor.to_vec::<f32>().unwrap();
    assert_eq!(elements.len(), tensor.numel());
}

#[test]
fn handles_are_read_cloned_and_dropped_in_every_order() {
    struct State(Option<Tensor>, Vec<Tensor>);
    let tried = interleave(|| {
        let x = ones(SHAPES[0]);
        let reader = State(Some(x.clone()), Vec::new());
        let cloner = State(Some(x.clone()), Vec::new());
        vec![
            script(
                x,
                &[
                    |x| resize(x, SHAPES[1]),
                    |x| resize(x, SHAPES[2]),
                    |x| *x = ones(SHAPES[0]), // drops this thread's handle
                ],
            ),
            script(
                reader,
                &[
                    |state| expect_one_shape(state.0.as_ref().unwrap()),
                    |state| expect_one_shape(state.0.as_ref().unwrap()),
                    |state| drop(state.0.take()),
                ],
            ),
            script(
                cloner,
                &[
                    |state| state.1 = vec![state.0.as_ref().unwrap().clone(); 2],
                    |state| drop(state.0.take()),
                    |state| expect_one_shape(&state.1[1]),
                ],
            ),
        ]
    });
    assert_eq!(tried, 1680); // 9! / (3! 3! 3!)
}

#[test]
fn slices_of_outgrown_memory_stay_valid_in_every_order() {
    type Seen = Vec<(usize, usize)>;
    let tried = interleave(|| {
        let x = ones(SHAPES[0]);
        let note: Step<(Tensor, Seen)> = |state| {
            let seen = (state.0.data_ptr().unwrap() as usize, state.0.numel());
            state.1.push(seen);
            for &(data, count) in &state.1 {
                let first = data as *const f32;
                // SAFETY: the memory had `count` elements, and lives as long as the tensor.
                let sum: f32 = (0..count).map(|at| unsafe { first.add(at).read() }).sum();
                assert!(sum > 0.0);
            }
        };
        const NOTE: usize = 3;
        let steps: &'static [Step<(Tensor, Seen)>] = Box::leak(vec![note; NOTE].into_boxed_slice());
        vec![
            script((x.clone(), Seen::new()), steps),
            script(
                x,
                &[
                    |x| resize(x, SHAPES[1]),
                    |x| resize(x, SHAPES[2]),
                    |x| resize(x, &[40_000]),
                ],
            ),
        ]
    });
    assert_eq!(tried, 20);
}

// ---- Registrations ------------------------------------------------------------------------------

static NAMES: AtomicUsize = AtomicUsize::new(0);

fn namespace() -> String {
    format!("interleaving_{}", NAMES.fetch_add(1, Ordering::Relaxed))
}

#[test]
fn kernels_are_called_removed_and_closed_in_every_order() {
    let call: Step<Op> = |op| match op.call::<i64>((&ones(&[1]),)) {
        Ok(found) => assert!(found == 1 || found == 2),
        Err(error) => assert!(
            [Status::NO_KERNEL, Status::NOT_FOUND].contains(&error.status()),
            "{error}"
        ),
    };
    let calls: &'static [Step<Op>] = Box::leak(vec![call; 3].into_boxed_slice());
    let tried = interleave(|| {
        let library = Library::define_namespace(&namespace()).unwrap();
        let op = library.define("f(Tensor x) -> int").unwrap();
        let impl_fn = |number: i64| {
            let captured = Box::new(number); // freed with the kernel
            let kernel = move |_: &Tensor| *captured;
            library.impl_fn("f", DispatchKey::CPU, kernel).unwrap()
        };
        let kernels = vec![impl_fn(1), impl_fn(2)];
        vec![
            script(op, calls),
            script(
                kernels,
                &[
                    |kernels: &mut Vec<Registration>| kernels.pop().unwrap().remove(),
                    |kernels| drop(kernels.pop().unwrap().scoped()),
                ],
            ),
            script(library, &[|library| library.close()]),
        ]
    });
    assert_eq!(tried, 60); // 6! / (3! 2! 1!)
}

#[test]
fn callbacks_may_drop_their_own_registration_in_every_order() {
    struct Pass(Tensor, Arc<AtomicUsize>);
    type Kept = Arc<Mutex<Option<tenon::autograd::ScopedHook>>>;
    let pass: Step<Pass> = |state| {
        let before = state.1.load(Ordering::Relaxed);
        (&state.0 * &state.0).unwrap().backward().unwrap();
        assert!(state.1.load(Ordering::Relaxed) <= before + 1);
    };
    let passes: &'static [Step<Pass>] = Box::leak(vec![pass; 3].into_boxed_slice());
    let tried = interleave(|| {
        let x = Tensor::scalar(3.0f32).unwrap();
        x.set_requires_grad(true).unwrap();
        let runs = Arc::new(AtomicUsize::new(0));
        let kept = Kept::default();
        let (own, count, text) = (kept.clone(), runs.clone(), String::from("captured"));
        let hook = x.register_hook(move |_| {
            drop(own.lock().unwrap().take()); // this very hook
            count.fetch_add(1, Ordering::Relaxed);
            assert_eq!(text, "captured"); // the closure lives until it returns
            Ok(None)
        });
        *kept.lock().unwrap() = Some(hook.unwrap().scoped());
        vec![
            script(Pass(x.clone(), runs), passes),
            script(kept, &[|kept: &mut Kept| drop(kept.lock().unwrap().take())]),
            script(Some(x), &[|x: &mut Option<Tensor>| drop(x.take())]),
        ]
    });
    assert_eq!(tried, 20); // 5! / (3! 1! 1!)
}

#[test]
fn kernels_that_panic_leave_nothing_behind_in_every_order() {
    struct Caller(Op, Tensor);
    let call: Step<Caller> = |caller| {
        let error = caller.0.call::<Tensor>((&caller.1,)).unwrap_err();
        assert!(
            error.is_panic() || error.status() == Status::NO_KERNEL,
            "{error}"
        );
    };
    let calls: &'static [Step<Caller>] = Box::leak(vec![call; 2].into_boxed_slice());
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let result = catch_unwind(AssertUnwindSafe(|| {
        interleave(|| {
            let library = Library::define_namespace(&namespace()).unwrap();
            let op = library.define("f(Tensor x) -> Tensor").unwrap();
            let fail = |x: &Tensor| -> Tensor { panic!("with {:?}", x.shape()) };
            let kernel = library.impl_fn("f", DispatchKey::CPU, fail).unwrap();
            let x = ones(&[2]);
            vec![
                script(Caller(op, x.clone()), calls),
                script(Caller(op, x), calls),
                script((kernel, library), &[|(kernel, _)| kernel.remove()]),
            ]
        })
    }));
    std::panic::set_hook(hook);
    assert_eq!(result.unwrap(), 30); // 5! / (2! 2! 1!)
}

// ---- Objects ------------------------------------------------------------------------------------

struct Counted(Arc<AtomicUsize>);
impl ObjectType for Counted {
    const NAME: &'static str = "interleaving.Counted";
}
impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn objects_are_dropped_once_in_every_order() {
    type State = (Option<Object>, Arc<AtomicUsize>);
    let drops = Arc::new(AtomicUsize::new(0));
    let steps: &'static [Step<State>] = &[
        |state| {
            let counted = state.0.as_ref().unwrap().downcast_ref::<Counted>();
            assert!(Arc::ptr_eq(&counted.unwrap().0, &state.1));
        },
        |state| drop(state.0.take()),
    ];
    let tried = interleave(|| {
        let object = Object::new(Counted(drops.clone())).unwrap();
        (0..3)
            .map(|_| script((Some(object.clone()), drops.clone()), steps))
            .collect()
    });
    assert_eq!(tried, 90);
    assert_eq!(drops.load(Ordering::Relaxed), tried + 1); // one more for counting the steps
}
