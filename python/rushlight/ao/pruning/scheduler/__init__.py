"""Says how many weights are zeros, as training goes on."""
