// SPDX-License-Identifier: Apache-2.0
//! Criterion's clock: processor time of the thread, so that what else runs on the machine does not
//! count.

use std::time::Duration;

use criterion::measurement::{Measurement, ValueFormatter, WallTime};

/// Measures nanoseconds, like Criterion's own clock.
pub struct ThreadTime;

fn now() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the clock writes the time; it exists on every Linux.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0, "the thread has a clock");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

impl Measurement for ThreadTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        now()
    }
    fn end(&self, start: Duration) -> Duration {
        now() - start
    }
    fn add(&self, a: &Duration, b: &Duration) -> Duration {
        *a + *b
    }
    fn zero(&self) -> Duration {
        Duration::ZERO
    }
    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }
    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}
