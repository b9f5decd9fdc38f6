//! The rules of the two threads, with time held still.

mod faults;
mod flow;
mod regions;
mod rig;
mod still;
