package system

import (
	"errors"

	"deltabench/internal/option"
	"deltabench/internal/workload"
)

// errFileio names what is missing, so that nobody takes a result for one.
var errFileio = errors.New("the fileio test is not in this version yet")

// fileio is known with its options, so that its answer is about the test and not about an option.
var fileio = &test{
	name: "fileio",
	options: []option.Spec{
		option.NewInt("file-num", "128", "number of files to create"),
		option.NewInt("file-block-size", "16384", "block size to use in all IO operations"),
		option.NewSize("file-total-size", "2G", "total size of files to create"),
		{Name: "file-test-mode", Type: option.String, NoDefault: true, Desc: "test mode {seqwr, seqrewr, seqrd, rndrd, rndwr, rndrw}"},
		option.NewString("file-io-mode", "sync", "file operations mode {sync,async,mmap}"),
		option.NewInt("file-async-backlog", "128", "number of asynchronous operatons to queue per thread"),
		{Name: "file-extra-flags", Type: option.List, Desc: "list of additional flags to use to open files {sync,dsync,direct}"},
		option.NewInt("file-fsync-freq", "100", "do fsync() after this number of requests (0 - don't use fsync())"),
		option.NewBool("file-fsync-all", "off", "do fsync() after each write operation"),
		option.NewBool("file-fsync-end", "on", "do fsync() at the end of test"),
		option.NewString("file-fsync-mode", "fsync", "which method to use for synchronization {fsync, fdatasync}"),
		option.NewInt("file-merged-requests", "0", "merge at most this number of IO requests if possible (0 - don't merge)"),
		{Name: "file-rw-ratio", Type: option.Double, Default: "1.5", Desc: "reads/writes ratio for combined test"},
	},
	commands: []workload.Command{
		{Name: "prepare", Function: "prepare", Do: func(workload.Setup, workload.ThreadContext) error { return errFileio }},
		{Name: "cleanup", Function: "cleanup", Do: func(workload.Setup, workload.ThreadContext) error { return errFileio }},
	},
	describe: describeFileio,
	newRun:   func(workload.Setup) (workload.Run, error) { return nil, errFileio },
}
