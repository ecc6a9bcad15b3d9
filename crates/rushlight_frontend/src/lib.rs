//! Making graphs from source and from observed calls.
