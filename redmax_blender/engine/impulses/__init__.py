"""The impulses of rows: laws, islands, solvers. Nothing here knows where rows come from."""
