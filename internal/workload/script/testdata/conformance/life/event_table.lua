-- run: run
event = {}
