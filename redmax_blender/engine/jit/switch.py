"""Whether kernels are compiled in this process.

A Blender with a window may have loaded an LLVM of its own, for its graphics driver, and crashes when Numba's compiles
beside it. There kernels are plain Python, which is enough to build and read scenes; simulations run in processes of
their own. It must be switched before `jit` is first imported.
"""

compile_kernels = True
