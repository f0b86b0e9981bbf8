// SPDX-License-Identifier: Apache-2.0
//! Runs the cases of tests/badinput/cases.txt that can be written in Rust.

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};

mod bad_calls;
mod support;

use bad_calls::{World, CALLS};

/// One line of the catalogue.
struct Case<'a> {
    line: usize,
    what: &'a str,
    call: &'a str,
    code: &'a str,
    names: &'a str,
    args: Vec<&'a str>,
}

impl Case<'_> {
    fn title(&self) -> String {
        format!("{}: {}", self.call, self.what)
    }
}

/// Splits at `" | "`. Bars share their spaces around an empty field: `"a | | b"`.
fn fields(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    loop {
        if rest == "|" {
            found.extend(["", ""]);
            return found;
        } else if let Some(behind) = rest.strip_prefix("| ") {
            found.push("");
            rest = behind;
        } else if let Some((field, behind)) = rest.split_once(" | ") {
            found.push(field);
            rest = behind;
        } else {
            found.push(rest.strip_suffix(" |").unwrap_or(rest));
            if rest.ends_with(" |") {
                found.push("");
            }
            return found;
        }
    }
}

fn cases(text: &str) -> Vec<Case<'_>> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(index, line)| {
            let fields = fields(line);
            let (line, rest) = (index + 1, &fields[4..]);
            Case {
                line,
                what: fields[0],
                call: fields[1],
                code: fields[2],
                names: fields[3],
                args: rest.to_vec(),
            }
        })
        .collect()
}

/// Cases where Rust's rules differ, and why.
const OTHERWISE: &[(&str, &str)] = &[
    (
        "define: kernels wait with another schema",
        "a kernel that comes first is compared with the arguments of each call",
    ),
    (
        "define: kernels wait with another typed form",
        "a kernel that comes first has no typed form",
    ),
    ("call: bool for int", "it converts, as in every binding"),
    ("call: int for float", "it converts, as in every binding"),
    (
        "call: float for complex",
        "it converts, as in every binding",
    ),
    (
        "call: int[] for float[]",
        "it converts, as in every binding",
    ),
];

/// Words in Rust's own messages: Rust fills in defaults and compares types before C does.
const IN_OTHER_WORDS: &[(&str, &str)] = &[
    ("call: too few", "bad::called & x must be given"),
    ("plain_call: too few", "bad::called & x must be given"),
    (
        "call: vararg without the fixed one",
        "bad::called & x must be given",
    ),
    ("explain: too few", "bad::called & x must be given"),
    (
        "explain: vararg without the fixed one",
        "bad::called & x must be given",
    ),
    (
        "impl: schema of another shape",
        "bad::taken & 'x' of the kernel & Tensor, got int",
    ),
];

/// Number of each call's cases that Rust can express, so that none is skipped by mistake.
const EXPECTED: &[(&str, usize)] = &[
    ("backend_register", 5),
    ("backward", 4),
    ("call", 40),
    ("call_key", 4),
    ("define", 8),
    ("define_options", 2),
    ("device_parse", 9),
    ("dlpack", 19),
    ("dlpack_export", 3),
    ("drain", 1),
    ("dual_enter", 1),
    ("dual_make", 4),
    ("dual_unpack", 1),
    ("explain", 8),
    ("dtype_parse", 3),
    ("dtype_promote", 3),
    ("failing", 2),
    ("fallback", 8),
    ("functionality_register", 17),
    ("generator_make", 7),
    ("generator_set_state", 12),
    ("grad", 3),
    ("impl", 13),
    ("key_for_device", 3),
    ("key_parse", 6),
    ("keys", 2),
    ("keyset_from_key", 4),
    ("library_new", 12),
    ("op_find", 10),
    ("plain_call", 9),
    ("plugin_load", 8),
    ("redispatch", 1),
    ("register_autograd", 7),
    ("results", 9),
    ("saved_hooks_disable", 1),
    ("saved_hooks_push", 1),
    ("schema_compatible", 6),
    ("schema_parse", 55),
    ("set_grad", 3),
    ("set_requires_grad", 2),
    ("simulator_new", 3),
    ("simulator_register", 9),
    ("simulator_remove", 5),
    ("simulator_slot", 2),
    ("slot", 2),
    ("tensor_alias", 7),
    ("tensor_data", 2),
    ("tensor_new", 12),
    ("tensor_wrap", 6),
    ("undefined_alias", 1),
    ("wrapper", 6),
];

/// Returns what is wrong with a refusal; `None` if Rust cannot express the case.
fn verdict(world: &World, case: &Case<'_>) -> Option<Result<(), String>> {
    let call = CALLS.iter().find(|(name, _)| *name == case.call)?.1;
    let made = panic::catch_unwind(AssertUnwindSafe(|| call(world, &case.args)));
    let error = match made {
        Err(_) => return Some(Err("must be refused, panicked".to_owned())),
        Ok(None) => return None,
        Ok(Some(Ok(()))) => return Some(Err("must be refused, was accepted".to_owned())),
        Ok(Some(Err(error))) => error,
    };
    let code = format!("{:?}", error.status());
    if !code.ends_with(case.code) {
        return Some(Err(format!(
            "code must be {}, got {code}: {error}",
            case.code
        )));
    }
    let title = case.title();
    let own = IN_OTHER_WORDS.iter().find(|(known, _)| *known == title);
    let missing = own
        .map_or(case.names, |(_, names)| names)
        .split(" & ")
        .find(|name| !error.message().contains(name));
    Some(match missing {
        Some(name) => Err(format!("must name {name:?}, got {error}")),
        None => Ok(()),
    })
}

#[test]
fn cases_are_refused_and_change_nothing() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../tests/badinput/cases.txt"
    );
    let text = std::fs::read_to_string(path).unwrap();
    let cases = cases(&text);
    assert!(cases.len() >= 556, "{} cases", cases.len());
    let world = World::new();
    let mut ran: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in &cases {
        if OTHERWISE.iter().any(|(title, _)| *title == case.title()) {
            continue;
        }
        let before = world.state();
        let (first, second) = (verdict(&world, case), verdict(&world, case));
        let after = world.state();
        let place = format!("cases.txt:{}: {}", case.line, case.title());
        match (first, second) {
            (Some(Err(text)), _) | (_, Some(Err(text))) => wrong.push(format!("{place}: {text}")),
            (Some(Ok(())), Some(Ok(()))) => *ran.entry(case.call).or_default() += 1,
            _ => {}
        }
        if before != after {
            wrong.push(format!(
                "{place}: must change nothing, got\n{before}\nbefore, and after\n{after}"
            ));
        }
    }
    tenon::introspect::check_invariants().unwrap();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let expected: BTreeMap<&str, usize> = EXPECTED.iter().copied().collect();
    for (call, count) in &expected {
        let got = ran.get(call).copied().unwrap_or(0);
        assert!(
            got >= *count,
            "{call}: {got} of {count} cases ran; all: {ran:?}"
        );
    }
    println!(
        "{} of {} cases ran: {ran:?}",
        ran.values().sum::<usize>(),
        cases.len()
    );
}

#[test]
fn exceptions_and_calls_are_in_the_catalogue() {
    let text = include_str!("../badinput/cases.txt");
    let cases = cases(text);
    for (title, _) in OTHERWISE.iter().chain(IN_OTHER_WORDS) {
        assert!(cases.iter().any(|case| case.title() == *title), "{title}");
    }
    for (name, _) in CALLS {
        assert!(cases.iter().any(|case| case.call == *name), "{name}");
        assert!(
            EXPECTED
                .iter()
                .any(|(call, count)| call == name && *count > 0),
            "{name}"
        );
    }
}
