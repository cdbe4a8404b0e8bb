package child

import "os"

// hasTerminals is false: terminals are passed on as pipes.
const hasTerminals = false

// ending are the signals that would end this process.
func ending() []os.Signal { return []os.Signal{os.Interrupt} }

func (r *running) start() error { return r.cmd.Start() }

// forward drops the signals: the console sends them to the program as well.
func (r *running) forward(caught <-chan os.Signal) {
	for range caught {
	}
}

func (r *running) terminal() error { return nil }

// statusOf is the status of a program that has ended.
func statusOf(state *os.ProcessState) Status { return Status{Code: state.ExitCode()} }
