-- run:
print(bit.band(0xff, 0x0f), bit.bor(1, 2, 4), bit.bxor(5, 1), bit.bnot(0), bit.lshift(1, 31), bit.rshift(-1, 28), bit.arshift(-8, 1))
print(bit.rol(0x12345678, 8), bit.ror(0x12345678, 8), bit.bswap(0x12345678), bit.tohex(255), bit.tohex(255, 4), bit.tohex(-1, -8), bit.tobit(2^32 + 5))
print(bit.band(0xffffffffffULL, 0xff00000000ULL), bit.lshift(1ULL, 40), bit.tohex(0x123456789abcdefULL))
print(require("bit") == bit)
