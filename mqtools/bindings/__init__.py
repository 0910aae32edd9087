"""Python bindings of IBM MQ on top of our queue manager: programs written for them run unmodified.

``pymqe`` and ``ibmmqc`` have the interface of the C parts of pymqi and ibmmq: packed structures in and out. ``path``
is the folder that goes on a program's path: with it the Python layers of both bindings find these, and a program that
imports ``pymqi`` without having it finds a stand-in. ``mqx run`` does this for a program.
"""
