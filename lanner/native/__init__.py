"""Native applications: `lanner.App`, what its handlers are declared with, and what they are given."""
