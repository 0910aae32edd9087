"""Folder for a program's path: modules by the names that programs import."""
