"""The folder that goes on a program's path: modules by the names that programs import."""
