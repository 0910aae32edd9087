"""Dumps in the form of dmpmqmsg: written, read, checked and summed up."""
