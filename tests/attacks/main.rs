//! Hostile inputs: whatever a file holds, the answer is one line, with a way out, and never a panic.

#![allow(clippy::expect_used)]

mod tables;
