"""Publish and subscribe: topics, subscriptions and the delivery of publications."""
