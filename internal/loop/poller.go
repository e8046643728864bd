package loop

// Interest is what a poller watches a descriptor for. Reading and the end of the peer's stream are always watched.
type Interest uint8

// Interests.
const (
	WantRead  Interest = 0
	WantWrite Interest = 1 // also watch for writability
)

// Ready is what a poller found.
type Ready uint8

// Bits of Ready.
const (
	In  Ready = 1 << iota // data to read
	Out                   // room to write
	Hup                   // the peer closed its side, or the connection failed: reading will not block any more
)

// Event is one ready descriptor.
type Event struct {
	Token uint64 // as given to Add
	Ready Ready
}

// Poller finds out which descriptors are ready. It is edge-triggered: an event is reported once for each change, and
// at once by Add and Mod when the descriptor is ready then. Events of one Wait are in order of arrival.
// All methods but Wake are called by the goroutine that runs the loop.
type Poller interface {
	// Add starts watching fd; its events carry token.
	Add(fd int, token uint64, want Interest) error
	// Mod changes what fd is watched for.
	Mod(fd int, token uint64, want Interest) error
	// Del stops watching fd, before it is closed.
	Del(fd int) error
	// Wait fills events and returns how many. timeout is in nanoseconds: 0 does not wait, a negative one waits for
	// ever. It may return early with 0 events (a signal, Wake).
	Wait(events []Event, timeout int64) (int, error)
	// Wake makes the current or the next Wait return early. It may be called from any goroutine.
	Wake() error
	// Close releases what the poller holds. No method is called after it.
	Close() error
}
