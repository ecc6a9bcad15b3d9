//! Running graphs: register code, interpreter, futures, pools, limits, backtraces.
