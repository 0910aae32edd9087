"""The texts of ``mqx explain``: what constants of MQ and rules mean, and what to do about them."""
