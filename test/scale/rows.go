package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"
)

// row is one measured figure: the median of an experiment's runs at one size.
type row struct {
	experiment string
	via        string // how the host is reached: daemon, path
	size       int    // refs, clones, milestones, bytes: what the experiment varies
	metric     string
	value      float64 // milliseconds, bytes or a count, as the metric's name says
}

// rows are all that was measured.
type rows []row

var header = []string{"experiment", "via", "size", "metric", "value"}

func (l rows) write(w io.Writer) error {
	out := csv.NewWriter(w)
	records := [][]string{header}
	for _, r := range l {
		records = append(records, []string{r.experiment, r.via, strconv.Itoa(r.size), r.metric, strconv.FormatFloat(r.value, 'f', 2, 64)})
	}
	return out.WriteAll(records)
}

func readRows(name string) (rows, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(records) == 0 || !slices.Equal(records[0], header) {
		return nil, fmt.Errorf("%s: not what 'scale measure' writes", name)
	}
	var l rows
	for _, rec := range records[1:] {
		size, err := strconv.Atoi(rec[2])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		value, err := strconv.ParseFloat(rec[4], 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		l = append(l, row{rec[0], rec[1], size, rec[3], value})
	}
	return l, nil
}

// get is one figure, and whether it was measured.
func (l rows) get(experiment, via string, size int, metric string) (float64, bool) {
	for _, r := range l {
		if r.experiment == experiment && r.via == via && r.size == size && r.metric == metric {
			return r.value, true
		}
	}
	return 0, false
}

// sizes are those at which an experiment was made, in order.
func (l rows) sizes(experiment, via string) []int {
	var list []int
	for _, r := range l {
		if r.experiment == experiment && r.via == via && !slices.Contains(list, r.size) {
			list = append(list, r.size)
		}
	}
	slices.Sort(list)
	return list
}

// at is a figure at any size: between two measured ones on the line through them,
// beyond them on the line through the last two.
func (l rows) at(experiment, via, metric string, size float64) (float64, error) {
	var xs, ys []float64
	for _, n := range l.sizes(experiment, via) {
		if v, ok := l.get(experiment, via, n, metric); ok {
			xs, ys = append(xs, float64(n)), append(ys, v)
		}
	}
	if len(xs) == 0 {
		return 0, fmt.Errorf("'%s' of '%s' was not measured", metric, experiment)
	}
	if len(xs) == 1 {
		return ys[0], nil
	}
	i := 1
	for i < len(xs)-1 && xs[i] < size {
		i++
	}
	share := (size - xs[i-1]) / (xs[i] - xs[i-1])
	return max(0, ys[i-1]+share*(ys[i]-ys[i-1])), nil
}

// series gathers the runs of one case.
type series map[string][]float64

func (s series) add(metric string, value float64) { s[metric] = append(s[metric], value) }

func (s series) addTime(metric string, d time.Duration) { s.add(metric+" ms", d.Seconds()*1000) }

// medians are the rows of a case, by metric.
func (s series) medians(experiment, via string, size int) rows {
	var l rows
	var names []string
	for m := range s {
		names = append(names, m)
	}
	slices.Sort(names)
	for _, m := range names {
		list := slices.Clone(s[m])
		slices.Sort(list)
		l = append(l, row{experiment, via, size, m, list[len(list)/2]})
	}
	return l
}
