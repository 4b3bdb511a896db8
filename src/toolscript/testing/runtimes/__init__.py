"""The tests of `RuntimeConformance`, by what they are about."""
