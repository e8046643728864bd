package lua

func OpenCoroutine(L *LState) int {
	L.Push(L.RegisterModule(CoroutineLibName, coFuncs))
	return 1
}

var coFuncs = map[string]LGFunction{
	"create":      coCreate,
	"isyieldable": coIsYieldable,
	"resume":      coResume,
	"running":     coRunning,
	"status":      coStatus,
	"wrap":        coWrap,
	"yield":       coYield,
}

func coCreate(L *LState) int {
	fn := L.CheckFunction(1)
	th, _ := L.NewThread()
	th.reg.Push(fn)
	L.Push(th)
	return 1
}

func coYield(L *LState) int {
	L.checkYield()
	return -1
}

// coArgs takes the arguments from number first on off the stack.
func coArgs(L *LState, first int) []LValue {
	reg := L.reg
	from := L.currentFrame.LocalBase + first - 1
	if from >= reg.top {
		return nil
	}
	return reg.array[from:reg.top]
}

// resumed pushes what a resume gave, and says how many.
func resumed(L, th *LState, from, n int) int {
	for i := 0; i < n; i++ {
		L.Push(th.reg.array[from+i])
	}
	return n
}

func coResume(L *LState) int {
	th, ok := L.Get(1).(*LState)
	if !ok {
		L.ArgError(1, "coroutine expected")
	}
	_, from, n, err := L.resume(th, coArgs(L, 2))
	if err != nil {
		L.Push(LFalse)
		L.Push(err.Object)
		return 2
	}
	L.Push(LTrue)
	return 1 + resumed(L, th, from, n)
}

func coWrap(L *LState) int {
	coCreate(L)
	th := L.reg.Pop().(*LState)
	L.Push(L.NewFunction(func(L *LState) int {
		_, from, n, err := L.resume(th, coArgs(L, 1))
		if err != nil {
			obj := err.Object
			if s, ok := obj.(LString); ok {
				obj = LString(L.where(1) + string(s))
			}
			panic(newApiError(ApiErrorRun, obj))
		}
		return resumed(L, th, from, n)
	}))
	return 1
}

func coRunning(L *LState) int {
	if L.G.CurrentThread == L.G.MainThread {
		L.Push(LNil)
	} else {
		L.Push(L.G.CurrentThread)
	}
	return 1
}

func coIsYieldable(L *LState) int {
	L.Push(LBool(L != L.G.MainThread && L.nexec <= 1))
	return 1
}

func coStatus(L *LState) int {
	th, ok := L.Get(1).(*LState)
	if !ok {
		L.ArgError(1, "coroutine expected")
	}
	L.Push(LString(L.Status(th)))
	return 1
}
