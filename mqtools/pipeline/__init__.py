"""Data pipeline: queues and journals as Spark data, and the jobs over them. Needs the extra ``spark``."""
