package main

import (
	"os"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

func read(t *testing.T, file string, into any) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(content, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func TestTheDataSourceIsThePrometheusThatIsShipped(t *testing.T) {
	var prometheus struct {
		Global struct {
			ScrapeInterval string `yaml:"scrape_interval"`
		}
	}
	read(t, "../prometheus/prometheus.yml", &prometheus)
	var sources struct {
		Datasources []struct {
			UID, Type, URL string
			JSONData       struct {
				TimeInterval string `yaml:"timeInterval"`
			} `yaml:"jsonData"`
		}
	}
	read(t, "provisioning/datasources/prometheus.yml", &sources)
	if len(sources.Datasources) != 1 {
		t.Fatalf("%d data sources", len(sources.Datasources))
	}
	s := sources.Datasources[0]
	if s.Type != "prometheus" || s.URL != "http://prometheus:9090" {
		t.Errorf("%+v", s)
	}
	if want := prometheus.Global.ScrapeInterval; want == "" || s.JSONData.TimeInterval != want {
		t.Errorf("Grafana believes that it scrapes every %q; it does every %q", s.JSONData.TimeInterval, want)
	}
	for file, d := range shipped(t) {
		if got := d.Templating.List[0].Current.Value; got != s.UID {
			t.Errorf("%s begins with the data source %q, not %q", file, got, s.UID)
		}
	}
}

func TestTheDashboardsAreFoundWhereTheReadmeMountsThem(t *testing.T) {
	var found struct {
		Providers []struct {
			Type    string
			Options struct{ Path string }
		}
	}
	read(t, "provisioning/dashboards/bff.yml", &found)
	if len(found.Providers) != 1 || found.Providers[0].Type != "file" {
		t.Fatalf("%+v", found)
	}
	readme, err := os.ReadFile("README.md")
	if path := found.Providers[0].Options.Path; err != nil || !strings.Contains(string(readme), "| `dashboards` | `"+path+"` |") {
		t.Errorf("the README does not mount the dashboards at %s (%v)", path, err)
	}
}
