"""MQ constants, exactly as MQ names and numbers them.

``reasons``, ``message``, ``options``, ``properties``, ``structures``, ``objects`` and ``administration``
hold plain integers and strings and cost next to nothing to import. ``enums`` holds the same values as
enumerations for the Python API, ``names`` turns numbers into names and back, and ``states`` names the
five states of a stored message.
"""
