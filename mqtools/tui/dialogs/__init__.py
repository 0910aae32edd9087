"""Dialogs: questions, forms and tables over the screen."""
