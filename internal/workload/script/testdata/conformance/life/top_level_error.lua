-- run: run
-- run:
print("before")
error("top level fails")
