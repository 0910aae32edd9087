"""The MQI calls on handles and packed structures, as cmqc.h declares them.

``sessions.call`` runs one call on a connection handle. The bindings and the servers of clients sit on it.
"""
