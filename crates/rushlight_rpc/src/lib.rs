//! Calling scripts on other processes.
