//! Mechanisms by which writing becomes slow, and what shows them.
