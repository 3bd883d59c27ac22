"""Forces. Each adds into a generalized force or into link wrenches, and has its energy beside it."""
