//! The rules of the two threads, with time held still.

mod faults;
mod flow;
mod refine;
mod regions;
mod rig;
mod still;
