"""The texts of ``mqx explain``: what constants of MQ mean and what to do about them."""
