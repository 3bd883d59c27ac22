"""Constraints as rows of (equality | inequality) x (reduced | maximal), at every level of derivatives."""
