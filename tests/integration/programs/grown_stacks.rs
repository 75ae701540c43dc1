// SPDX-License-Identifier: Apache-2.0
// grown_stacks - a recursion that goes on on a new stack now and then, as Rust's crate stacker lets
// it, by that crate's own psm: grown_stacks SECONDS
extern crate psm;

use std::alloc::{alloc, dealloc, Layout};
use std::time::{Duration, Instant};

const STACK_BYTES: usize = 256 << 10;
const CALLS: u32 = 12; // on one stack
const STACKS: u32 = 5;
const STEPS: u64 = 100_000; // some 100 us

/// No compiler knows what comes out.
fn opaque(value: u64) -> u64 {
    unsafe { std::ptr::read_volatile(&value) }
}

#[inline(never)]
fn spin(end: Instant) -> u64 {
    let mut sum = 1;
    while Instant::now() < end {
        for step in 0..STEPS {
            sum = opaque(sum * 3 + step);
        }
    }
    sum
}

#[inline(never)]
fn grow(stacks: u32, end: Instant) -> u64 {
    let layout = Layout::from_size_align(STACK_BYTES, 4096).unwrap();
    unsafe {
        let stack = alloc(layout);
        let sum = psm::on_stack(stack, STACK_BYTES, || descend(CALLS, stacks, end));
        dealloc(stack, layout);
        sum
    }
}

#[inline(never)]
fn descend(calls: u32, stacks: u32, end: Instant) -> u64 {
    let below = match (calls, stacks) {
        (0, 0) => spin(end),
        (0, _) => grow(stacks - 1, end),
        _ => descend(calls - 1, stacks, end),
    };
    opaque(below) + 1
}

fn main() {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1);
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end {
        // each time all stacks are new
        opaque(descend(CALLS, STACKS, (Instant::now() + Duration::from_millis(50)).min(end)));
    }
}
