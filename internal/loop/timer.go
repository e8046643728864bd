package loop

// timers is a 4-ary heap of the tasks that have a time to be woken at, earliest first; equal times in order of
// arming. A task has at most one entry, and knows its place, so arming allocates nothing once the heap has grown.
//
// Entries are lazy: a task that was woken by something else keeps its entry, which is dropped or moved when it
// comes up. A read deadline that moves forward with each query costs a comparison, not two heap operations.
type timers struct {
	heap []timerEntry
	seq  uint64
}

type timerEntry struct {
	when int64 // nanoseconds, never later than the task's deadline
	seq  uint64
	t    *Task
}

func (e *timerEntry) before(o *timerEntry) bool {
	return e.when < o.when || e.when == o.when && e.seq < o.seq
}

// arm makes sure that t comes up at when at the latest.
func (h *timers) arm(t *Task, when int64) {
	if t.place == 0 {
		h.seq++
		h.heap = append(h.heap, timerEntry{})
		h.up(len(h.heap)-1, timerEntry{when, h.seq, t})
		return
	}
	i := int(t.place - 1)
	if h.heap[i].when > when {
		h.seq++
		h.up(i, timerEntry{when, h.seq, t})
	}
}

// remove drops the entry of t, if there is one.
func (h *timers) remove(t *Task) {
	if t.place == 0 {
		return
	}
	i, last := int(t.place-1), len(h.heap)-1
	e := h.heap[last]
	h.heap[last] = timerEntry{}
	h.heap = h.heap[:last]
	t.place = 0
	if i == last {
		return
	}
	if i > 0 && e.before(&h.heap[(i-1)/4]) {
		h.up(i, e)
	} else {
		h.down(i, e)
	}
}

// postpone moves the first entry to a later time.
func (h *timers) postpone(when int64) {
	e := h.heap[0]
	h.seq++
	e.when, e.seq = when, h.seq
	h.down(0, e)
}

// up puts e at i or above.
func (h *timers) up(i int, e timerEntry) {
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(&h.heap[p]) {
			break
		}
		h.set(i, h.heap[p])
		i = p
	}
	h.set(i, e)
}

// down puts e at i or below.
func (h *timers) down(i int, e timerEntry) {
	for {
		first := 4*i + 1
		if first >= len(h.heap) {
			break
		}
		m := first
		for c := first + 1; c < min(first+4, len(h.heap)); c++ {
			if h.heap[c].before(&h.heap[m]) {
				m = c
			}
		}
		if !h.heap[m].before(&e) {
			break
		}
		h.set(i, h.heap[m])
		i = m
	}
	h.set(i, e)
}

func (h *timers) set(i int, e timerEntry) {
	h.heap[i] = e
	e.t.place = int32(i + 1)
}
