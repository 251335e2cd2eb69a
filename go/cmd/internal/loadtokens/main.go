// SPDX-License-Identifier: Apache-2.0

// Command loadtokens measures a token server of this machine and prints JSON; bench/token_server.py runs it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tallystick/tallystick/go/cmd/internal/load"
)

func main() {
	url := flag.String("url", "", "the route")
	connections := flag.Int("connections", 256, "connections")
	rate := flag.Float64("rate", 0, "requests a second, 0: as many as are answered")
	seconds := flag.Duration("time", time.Minute, "how long")
	records := flag.Int("records", 10, "records of a request")
	arrowRows := flag.Int("arrow", 0, "rows of an Arrow stream instead of records")
	http2 := flag.Bool("http2", false, "send over HTTP/2 in clear, with prior knowledge")
	flag.Parse()
	header := http.Header{"Authorization": {"Bearer " + os.Getenv("TOKEN")}, "Content-Type": {"application/json"}}
	body := []byte(`{"records": [` + strings.Repeat(`{"card": "4111111111111111", "ssn": "078-05-1120"},`, *records-1) +
		`{"card": "4111111111111111", "ssn": "078-05-1120"}]}`)
	if *arrowRows > 0 {
		header.Set("Content-Type", "application/vnd.apache.arrow.stream")
		body = stream(*arrowRows)
	}
	made, err := load.Run(context.Background(), load.Options{
		URL: *url, Header: header, Body: body, Connections: *connections, Rate: *rate, Time: *seconds, HTTP2: *http2,
	})
	if err != nil {
		log.Fatal(err)
	}
	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{
		"requests": made.Requests(), "errors": made.Errors, "statuses": made.Statuses, "seconds": made.Time.Seconds(),
		"p50": made.Percentile(.5).Seconds(), "p99": made.Percentile(.99).Seconds(), "worst": made.Percentile(1).Seconds(),
	})
}

// stream has different accounts of 16 digits in one batch.
func stream(rows int) []byte {
	schema := arrow.NewSchema([]arrow.Field{{Name: "account", Type: arrow.BinaryTypes.String}}, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range rows {
		builder.Field(0).(*array.StringBuilder).Append(fmt.Sprintf("%016d", i*7_919_000_003))
	}
	var out bytes.Buffer
	writer := ipc.NewWriter(&out, ipc.WithSchema(schema))
	if err := writer.Write(builder.NewRecordBatch()); err != nil {
		log.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		log.Fatal(err)
	}
	return out.Bytes()
}
