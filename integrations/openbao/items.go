// SPDX-License-Identifier: Apache-2.0

package openbao

import (
	"math"
	"slices"
	"strconv"

	"github.com/tallystick/tallystick/go/policy"
)

// maxItems is the most values of a request.
const maxItems = 10_000

// item is one value of a request, as Transform has them.
type item struct {
	value, tweak   policy.Value
	tweaked        bool
	transformation string
	version        int
	reference      string
	referenced     bool
}

// itemFields are the fields of a request without a batch, and of each item of a batch.
var itemFields = []string{"value", "transformation", "tweak", "key_version", "reference"}

// readItems returns the items of a request, and their errors: single is true for a request that has no batch.
func readItems(raw map[string]any) (items []item, failed []error, single bool, err error) {
	batch, many := raw["batch_input"]
	fields := map[string]any{}
	for name, value := range raw {
		switch {
		case name == "role" || name == "batch_input" || name == "partial_failure_response_code":
		case many:
			return nil, nil, false, refusalf("a request has batch_input or %s, not both", name)
		default:
			fields[name] = value
		}
	}
	list := []any{fields}
	if many {
		var ok bool
		if list, ok = batch.([]any); !ok {
			return nil, nil, false, refusalf("batch_input is a list of objects")
		}
	}
	if len(list) == 0 || len(list) > maxItems {
		return nil, nil, false, refusalf("batch_input has 1 to %d items, not %d", maxItems, len(list))
	}
	items, failed = make([]item, len(list)), make([]error, len(list))
	for row, one := range list {
		object, ok := one.(map[string]any)
		if !ok {
			failed[row] = refusalf("an item of batch_input is an object")
			continue
		}
		failed[row] = items[row].read(object)
	}
	return items, failed, !many, nil
}

// read reads an item. Messages must not quote the item.
func (i *item) read(object map[string]any) error {
	for name := range object {
		if !slices.Contains(itemFields, name) {
			return refusalf("an item has a field that is none of value, transformation, tweak, key_version and reference")
		}
	}
	switch reference := object["reference"].(type) { // first: errors have it too
	case nil:
	case string:
		i.reference, i.referenced = reference, true
	default:
		return refusalf("reference is not text: the server's audit log hashes text alone")
	}
	switch value := object["value"].(type) {
	case string:
		i.value.Text = value
	case nil:
		if _, given := object["value"]; !given {
			return refusalf("value is missing")
		}
		i.value.Null = true
	default:
		return refusalf("value is not text; a number is sent as text, so that its digits stay")
	}
	switch tweak := object["tweak"].(type) {
	case nil:
	case string:
		i.tweak.Text, i.tweaked = tweak, true
	default:
		return refusalf("tweak is not text; a number is sent as text, so that its digits stay")
	}
	if given, there := object["transformation"]; there {
		var ok bool
		if i.transformation, ok = given.(string); !ok {
			return refusalf("transformation is not text: it is the name of a column of the policy")
		}
	}
	if given, there := object["key_version"]; there {
		var ok bool
		if i.version, ok = readVersion(given); !ok {
			return refusalf("key_version is not a whole number above 0")
		}
	}
	return nil
}

func readVersion(given any) (int, bool) {
	switch given := given.(type) {
	case string: // the command line sends text
		version, err := strconv.Atoi(given)
		return version, err == nil && version > 0
	case float64: // the server sends JSON
		return int(given), given == math.Trunc(given) && given > 0 && given < 1<<31
	}
	return 0, false
}
