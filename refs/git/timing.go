package git

import "time"

// Every duration of this package.
const (
	// childTimeout bounds a child whose caller set no deadline.
	childTimeout = 2 * time.Minute
	// mergeLeft is the age of what a merge by lines has written at which no process
	// reads it any more.
	mergeLeft = 5 * childTimeout
	// askTimeout bounds asking a remote for its refs, and transferTimeout a fetch
	// or a push, whose caller set no deadline: an hour is a slow line's, not a
	// dead host's.
	askTimeout      = time.Minute
	transferTimeout = time.Hour
	// readerTimeout bounds a child whose output is read as it comes, and may stay
	// open in a pager over night.
	readerTimeout = 24 * time.Hour
	// walkTimeout bounds a child that walks or packs all of a large code repository,
	// which takes minutes.
	walkTimeout = time.Hour
	// stallTimeout is how long an HTTP transfer may move less than a byte a
	// second where the user's configuration does not set it.
	stallTimeout = time.Minute
	// signTimeout bounds making a signature: less than lockTimeout, so that who
	// waits for the branch meanwhile gets it. A person has that long to answer what
	// an agent of theirs asks.
	signTimeout = 50 * time.Second
	// signalGrace is how long a signal may take to reach us that reached a child.
	signalGrace = 200 * time.Millisecond
	// commitGrace bounds the commit phase of a ref transaction. A child killed
	// in it leaves lock files and half a transaction, so it gets longer.
	commitGrace = 15 * time.Second
	// pipeLook is after what time a child is suspected to wait for a named pipe.
	pipeLook = 500 * time.Millisecond
	// closeGrace is how long a child that reads objects may take to end once it is asked nothing more.
	closeGrace = 10 * time.Second
	// pipeGrace is how long we wait for a pipe that a descendant of a finished
	// child (a hook's daemon) still has open.
	pipeGrace = 500 * time.Millisecond

	// refsLockTimeout is how long git waits for a ref's lock file.
	refsLockTimeout = 2 * time.Second

	// lockTimeout bounds waiting for one of our locks without a deadline.
	lockTimeout = time.Minute
	// lockPollMin and lockPollMax bound the pauses between two tries.
	lockPollMin = 200 * time.Microsecond
	lockPollMax = 10 * time.Millisecond
)
