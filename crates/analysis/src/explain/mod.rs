//! Why one side is slower: a difference, taken apart.
