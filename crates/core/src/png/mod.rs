//! png
