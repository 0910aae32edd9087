"""Texts of ``mqx explain``: the meaning of MQ constants and what to do about them."""
