"""Many runs on one machine, each where it can fail alone.

    parent (a command, a notebook, a dask worker)
      warm process      imports what the runs need and does one of them; one thread, so that it may fork
        worker          one run after another, in memory that it shares with the warm process until it writes
        worker ...

A run that raises is told; one that ends its process, never ends, or takes too much memory is ended and told, and the
next worker is there in some 25 ms. Nothing here uses multiprocessing: a script needs no `__main__` guard.
"""
