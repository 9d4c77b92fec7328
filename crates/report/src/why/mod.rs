//! Why: the reason of a slowdown, in a few lines or in full.
