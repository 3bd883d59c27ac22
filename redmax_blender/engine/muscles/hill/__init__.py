"""Hill-type musculotendons after Millard, Uchida, Seth and Delp (2013): curves, activation, equilibrium."""
