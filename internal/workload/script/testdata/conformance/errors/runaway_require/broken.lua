function x(
