-- run:
print(sb_rand(1, 100), sb_rand_uniform(1, 100), sb_rand_gaussian(1, 100), sb_rand_special(1, 100), sb_rand_str("##@@"), sb_rnd(), sb_rnd())
print(sb_rand_uniq(), sb_rand_uniq(0, 4294967295))
print(pcall(sb_rand, "1", "100"))
print(pcall(sb_rand_str, 5))
