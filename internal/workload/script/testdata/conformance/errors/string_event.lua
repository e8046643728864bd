-- run: run
event = "SELECT 1"
