//! The tensor as data: dtypes, storage, layouts, views, iteration, promotion, generator, printing.
