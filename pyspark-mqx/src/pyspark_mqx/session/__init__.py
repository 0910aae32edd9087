"""Spark session of a job: Java, Spark's home, its class cache."""
