//! The shared vocabulary: types, schemas, runtime values, operators and the one call path.
