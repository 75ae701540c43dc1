// SPDX-License-Identifier: Apache-2.0
//! busy - a Rust program at mixed work in two threads: busy SECONDS
use std::collections::HashMap;
use std::time::{Duration, Instant};

enum Tree { Leaf(u64), Node(Box<Tree>, Box<Tree>) }

fn tree(depth: u32) -> Tree {
    if depth == 0 {
        Tree::Leaf(1)
    } else {
        Tree::Node(Box::new(tree(depth - 1)), Box::new(tree(depth - 1)))
    }
}

fn sum(tree: &Tree) -> u64 {
    match tree { Tree::Leaf(n) => *n, Tree::Node(a, b) => sum(a) + sum(b) }
}

fn words() -> usize {
    let mut counted: HashMap<String, usize> = HashMap::new();
    let mut list: Vec<String> = (0..3000).map(|i| format!("word{}", i * 7919 % 997)).collect();
    for word in &list { *counted.entry(word.clone()).or_default() += 1; }
    list.sort_by(|a, b| counted[a].cmp(&counted[b]).then(a.cmp(b)));
    list.join(" ").len()
}

fn main() {
    let seconds: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let end = Instant::now() + Duration::from_secs(seconds);
    let threads: Vec<_> = (0..2).map(|_| std::thread::spawn(move || {
        let mut total = 0;
        while Instant::now() < end {
            total += words() as u64 + sum(&tree(12));
            let caught = std::panic::catch_unwind(|| { if total_is_odd() { panic!() } });
            total += caught.is_err() as u64;
        }
        total
    })).collect();
    println!("{}", threads.into_iter().map(|t| t.join().unwrap()).sum::<u64>());
}

fn total_is_odd() -> bool { false }
