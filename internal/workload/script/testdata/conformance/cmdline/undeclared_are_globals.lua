-- run: run --events=1 --time=0 --verbosity=0 --my-option=5 --other=text --flag --print=no
function event()
   print(my_option, type(my_option), other, flag, type(flag), type(print))
   print(sysbench.opt.my_option, threads, type(threads), events, rand_type, type(percentile), db_driver, histogram, type(histogram))
end
