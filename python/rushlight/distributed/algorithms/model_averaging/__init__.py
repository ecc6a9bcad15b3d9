"""Parameters that are averaged over processes now and then, instead of gradients in each step."""
