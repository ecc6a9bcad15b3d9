"""``torch.testing._internal``: what test suites of other libraries take from there: test cases, parameters, dtypes, devices."""
