"""Background: the threads that read and write, and the work that they do slice by slice."""
