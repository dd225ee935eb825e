package initd

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"
)

// unencodable returns the path in an output at which package encoding/json fails, e.g. ".a[0]", and the reason.
func unencodable(output any, err error) (path, why string) {
	path, err = locate(reflect.ValueOf(output), "", err, map[uintptr]bool{})
	var value *json.UnsupportedValueError
	var kind *json.UnsupportedTypeError
	switch {
	case errors.As(err, &value) && strings.HasPrefix(value.Str, "encountered a cycle"):
		return path, "a value that contains itself isn't JSON"
	case errors.As(err, &value):
		return path, value.Str + " isn't JSON"
	case errors.As(err, &kind):
		return path, fmt.Sprintf("a value of type %v isn't JSON", kind.Type)
	}
	return path, err.Error()
}

// locate descends as long as a part of the value can't be encoded alone. The path of a cycle is the position that closes it.
func locate(value reflect.Value, path string, err error, seen map[uintptr]bool) (string, error) {
	if encodesItself(value.Type()) {
		return path, err
	}
	switch value.Kind() {
	case reflect.Map, reflect.Pointer:
		if seen[value.Pointer()] {
			return path, err
		}
		seen[value.Pointer()] = true
	case reflect.Slice:
		if value.Len() > 0 && value.Index(0).Kind() == reflect.Interface { // Only such a slice, or one behind a map or pointer, is in a cycle.
			if seen[value.Pointer()] {
				return path, err
			}
			seen[value.Pointer()] = true
		}
	}
	for _, inner := range parts(value) {
		whole := inner.value
		if whole.CanAddr() {
			whole = whole.Addr() // The address makes the methods of a pointer available.
		}
		if _, innerErr := json.Marshal(whole.Interface()); innerErr != nil {
			return locate(inner.value, path+inner.step, innerErr, seen)
		}
	}
	return path, err
}

var (
	marshaler     = reflect.TypeOf((*json.Marshaler)(nil)).Elem()
	textMarshaler = reflect.TypeOf((*encoding.TextMarshaler)(nil)).Elem()
)

func encodesItself(t reflect.Type) bool {
	if t.Kind() == reflect.Interface {
		return false // The value itself shows whether it is nil.
	}
	pointer := reflect.PointerTo(t)
	return pointer.Implements(marshaler) || pointer.Implements(textMarshaler)
}

// part is a part of a value, and the step of a path to it.
type part struct {
	step  string
	value reflect.Value
}

func parts(value reflect.Value) (all []part) {
	switch value.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !value.IsNil() {
			all = append(all, part{"", value.Elem()})
		}
	case reflect.Slice, reflect.Array:
		for i := 0; i < value.Len(); i++ {
			all = append(all, part{fmt.Sprintf("[%d]", i), value.Index(i)})
		}
	case reflect.Map:
		for _, key := range value.MapKeys() {
			all = append(all, part{step(fmt.Sprint(key)), value.MapIndex(key)})
		}
		sort.Slice(all, func(i, j int) bool { return all[i].step < all[j].step })
	case reflect.Struct:
		for i := 0; i < value.NumField(); i++ {
			field := value.Type().Field(i)
			tag := field.Tag.Get("json")
			if !field.IsExported() || tag == "-" {
				continue
			}
			name, _, _ := strings.Cut(tag, ",")
			switch {
			case name != "":
				name = step(name)
			case !field.Anonymous:
				name = step(field.Name)
			}
			all = append(all, part{name, value.Field(i)})
		}
	}
	return all
}

// step is the step of a path to the member of this name.
func step(name string) string {
	for _, r := range name {
		if r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return "[" + strconv.Quote(name) + "]"
		}
	}
	return "." + name
}
