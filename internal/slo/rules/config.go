package rules

import (
	"fmt"
	"strings"
)

// composeTargets are the instances of the compose file.
var composeTargets = []string{"bff-1:9090", "bff-2:9090"}

const config = `# Start Prometheus with --storage.tsdb.retention.time=35d, or the window of 30 days is shorter than it says, and with
# --enable-feature=exemplar-storage to go from a bucket to its trace.
# The latency objective reads classic buckets: where native histograms are scraped, keep the classic ones beside them.
global:
  scrape_interval: %s
  evaluation_interval: %s

rule_files:
  - %s
  - %s

scrape_configs:
  - job_name: bff
    static_configs:
      - targets: [%s]
`

func (s scale) config(targets []string) string {
	if len(targets) == 0 {
		targets = composeTargets
	}
	quoted := make([]string, len(targets))
	for i, target := range targets {
		quoted[i] = fmt.Sprintf("%q", target)
	}
	return fmt.Sprintf(config, s.of(scrapeEvery), s.of(evaluateEvery), RecordingFile, AlertsFile, strings.Join(quoted, ", "))
}
