"""The administration commands: plain functions, and the catalogue of them that MQSC and PCF read and write."""
