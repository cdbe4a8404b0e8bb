package doc

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// toNode converts a Go value to a YAML node: nil, booleans, numbers, strings, times, and
// slices and maps of these (with string keys, which it sorts). The YAML library's own
// conversion goes through its text form, which loses a text that consists of line breaks.
func toNode(v reflect.Value) (*yaml.Node, error) {
	if v.IsValid() && v.Type() == reflect.TypeFor[time.Time]() {
		return newTime(v.Interface().(time.Time)), nil
	}
	switch v.Kind() {
	case reflect.Invalid:
		return newNull(), nil
	case reflect.Pointer, reflect.Interface:
		return toNode(v.Elem())
	case reflect.String:
		return newString(v.String()), checkText(v.String())
	case reflect.Bool:
		return newScalar("!!bool", strconv.FormatBool(v.Bool())), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return newScalar("!!int", strconv.FormatInt(v.Int(), 10)), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return newScalar("!!int", strconv.FormatUint(v.Uint(), 10)), nil
	case reflect.Float32, reflect.Float64:
		return floatNode(v.Float()), nil
	case reflect.Slice, reflect.Array:
		return listNode(v)
	case reflect.Map:
		return mapNode(v)
	}
	return nil, fmt.Errorf("a %s cannot be written", v.Type())
}

func floatNode(f float64) *yaml.Node {
	switch {
	case math.IsNaN(f):
		return newScalar("!!float", ".nan")
	case math.IsInf(f, 1):
		return newScalar("!!float", ".inf")
	case math.IsInf(f, -1):
		return newScalar("!!float", "-.inf")
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0" // otherwise it would be read as an integer
	}
	return newScalar("!!float", s)
}

func listNode(v reflect.Value) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for i := range v.Len() {
		item, err := toNode(v.Index(i))
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, item)
	}
	return n, nil
}

func mapNode(v reflect.Value) (*yaml.Node, error) {
	if v.Type().Key().Kind() != reflect.String {
		return nil, fmt.Errorf("a %s cannot be written", v.Type())
	}
	n := newMap()
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		if err := checkText(key.String()); err != nil {
			return nil, err
		}
		item, err := toNode(v.MapIndex(key))
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, newString(key.String()), item)
	}
	return n, nil
}
