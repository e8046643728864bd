-- run:
-- Numbers become text as %.14g.
print(2^53, 10/3, 10/2, 1e15, 1e14, 123456789012345, 0.1, -0.0, 1/0, -1/0, 100, 1e100)
print(2^31, 2^32, 2^63, -2^63, 1e-5, 123.456, 5 % 3, -5 % 3, 5.5 % 2, 7 / 2)
print("id=" .. 10/2, "id=" .. 2^53, "x" .. 1e15 .. "y", 1 .. 2)
print(tostring(0/0) == "nan" or tostring(0/0) == "-nan", tostring(3), tostring(3.0), tostring(1e15))
print(tonumber("0x10"), tonumber("  12  "), tonumber("1e2"), tonumber("abc"), tonumber("10", 2), tonumber("zz", 36), tonumber(""), tonumber("0x"))
print(math.floor(3.7), math.ceil(3.2), math.max(1, 5, 3), math.min(4, 2), math.huge, math.pi, math.abs(-3), math.fmod(7, 3), math.modf(3.7))
print(10 == "10", "10" + 5, "3" * "4", 10 .. "")
