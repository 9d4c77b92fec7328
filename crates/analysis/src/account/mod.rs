//! From what a further pass saw to where the time went.
