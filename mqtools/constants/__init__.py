"""MQ constants, exactly as MQ names and numbers them.

``reasons``, ``message``, ``options``, ``properties``, ``structures``, ``objects``, ``channels`` and ``administration``
hold plain integers and strings and cost next to nothing to import. ``cmqc``, ``cmqcfc``, ``cmqxc`` and ``cmqzc`` show
them to programs as the bindings do, with those that nothing else here needs. ``enums`` has them as enumerations for
the Python API, ``names`` turns numbers into names and back, and ``states`` names the six states of a stored message.
"""
