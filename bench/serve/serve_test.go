package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"ucrypt/internal/speed"
)

func TestRun(t *testing.T) {
	opened := 0
	open := func(q Request) (speed.Work, error) {
		if opened++; q.Mode != "ctr" {
			return nil, errors.New("no such mode")
		}
		return func(n int) error { time.Sleep(time.Microsecond); return nil }, nil
	}
	const requests = `{"Driver":"d","Mode":"ctr","Bytes":16,"Time":1000}` + "\n" +
		`{"Driver":"d","Mode":"ctr","Bytes":16,"Time":1000}` + "\n" + `{"Mode":"xts"}` + "\n"
	var out bytes.Buffer
	if err := run(strings.NewReader(requests), &out, []string{"d"}, open); err != nil {
		t.Fatal(err)
	}
	in := json.NewDecoder(&out)
	var hello Hello
	if err := in.Decode(&hello); err != nil || len(hello.Drivers) != 1 {
		t.Errorf("%+v, %v, want the driver", hello, err)
	}
	for _, want := range []string{"", "", "no such mode"} {
		var a Answer
		if err := in.Decode(&a); err != nil || a.Error != want || (a.Seconds > 0) != (want == "") {
			t.Errorf("%+v, %v, want error %q", a, err, want)
		}
	}
	if err := in.Decode(&Answer{}); !errors.Is(err, io.EOF) {
		t.Errorf("more than three answers: %v", err)
	}
	if opened != 2 {
		t.Errorf("opened %d times, want each kind once", opened)
	}
	if err := run(strings.NewReader("{"), io.Discard, nil, open); err == nil {
		t.Error("no error for half a request")
	}
}
