"""Rules of access: channel authentication records, authority profiles, patterns of addresses and certificate names."""
