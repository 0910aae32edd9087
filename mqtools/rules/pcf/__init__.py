"""Tables of the programmable command format: numbers, filters, reasons, stored kinds of object."""
