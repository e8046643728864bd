-- run: prepare
-- run: cleanup
-- run: help
-- run: prewarm
print("top")
