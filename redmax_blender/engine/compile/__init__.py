"""Scene -> model, and every error that types cannot express."""
