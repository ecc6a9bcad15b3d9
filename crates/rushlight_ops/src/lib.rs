//! Every built-in operator: schema, kernel, shape rule, derivative.
