// Package compose holds docker-compose.yml to its promises. That file alone brings up the service with all around it,
// locked down and reachable from its own machine only. A second test, behind the build tag compose, runs it and tells
// from outside what befalls a visitor while one thing after another breaks: make compose-test.
package compose

import (
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"example.com/bff/internal/config"
)

const root = "../../"

// service is what is read here of one in the file.
type service struct {
	Image       string
	User        string
	Build       *struct{ Target string }
	Privileged  bool
	Restart     string
	ReadOnly    bool     `yaml:"read_only"`
	CapDrop     []string `yaml:"cap_drop"`
	CapAdd      []string `yaml:"cap_add"`
	SecurityOpt []string `yaml:"security_opt"`
	NetworkMode string   `yaml:"network_mode"`
	Ports       []string
	Volumes     []string
	Secrets     []string
	EnvFile     any `yaml:"env_file"`
	Environment map[string]string
	Healthcheck struct{ Test []string }
	StopGrace   time.Duration `yaml:"stop_grace_period"`
}

func services(t *testing.T) map[string]service {
	t.Helper()
	var file struct{ Services map[string]service }
	if err := yaml.Unmarshal([]byte(read(t, "docker-compose.yml")), &file); err != nil {
		t.Fatal(err)
	}
	return file.Services
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(root + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

var (
	pinned = regexp.MustCompile(`^[a-z/]+:v?\d+\.\d+\.\d+(-[a-z]+)?$`)
	secret = regexp.MustCompile(`(?i)passw|secret|token|credential|://[^/]*@`)
)

func TestEveryServiceIsLockedDown(t *testing.T) {
	all := services(t)
	built := map[string]string{}
	for _, s := range all {
		if s.Build != nil && built[s.Image] == "" {
			built[s.Image] = s.Build.Target
		} else if s.Build != nil {
			t.Errorf("two services build %s, at the same time", s.Image)
		}
	}
	for name, s := range all {
		_, ours := built[s.Image]
		asRoot := s.User == "" || strings.HasPrefix(s.User, "0") || strings.HasPrefix(s.User, "root")
		for complaint, holds := range map[string]bool{
			"its image has no exact version":     !ours && !pinned.MatchString(s.Image),
			"it runs as root":                    !ours && asRoot,
			"it may write to its file system":    !s.ReadOnly,
			"it keeps capabilities":              !slices.Equal(s.CapDrop, []string{"ALL"}) || len(s.CapAdd) > 0,
			"it can gain privileges":             s.Privileged || !slices.Equal(s.SecurityOpt, []string{"no-new-privileges:true"}),
			"it is in the machine's own network": s.NetworkMode != "",
			"nobody asks whether it is well":     len(s.Healthcheck.Test) == 0,
			"it stays down when it fails":        s.Restart != "unless-stopped",
			"it is told a secret":                s.Secrets != nil || s.EnvFile != nil,
		} {
			if holds {
				t.Errorf("%s: %s", name, complaint)
			}
		}
		for key, value := range s.Environment {
			if secret.MatchString(key) || secret.MatchString(value) {
				t.Errorf("%s: %s looks like a secret", name, key)
			}
		}
		for _, volume := range s.Volumes {
			if !strings.HasPrefix(volume, "./deploy/") || !strings.HasSuffix(volume, ":ro") {
				t.Errorf("%s: %s is not a folder of ours to read", name, volume)
			}
		}
	}
}

func TestOnlyThisMachineReachesIt(t *testing.T) {
	want := []string{
		"balancer 127.0.0.1:8080:8080", "bff-1 127.0.0.1:9101:9090", "bff-2 127.0.0.1:9102:9090",
		"grafana 127.0.0.1:3000:3000", "prometheus 127.0.0.1:9090:9090", "storefront 127.0.0.1:8000:8000",
	}
	var got []string
	for name, s := range services(t) {
		for _, port := range s.Ports {
			got = append(got, name+" "+port)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("published are\n%q, not\n%q", got, want)
	}
}

func TestTheInstancesMeanWhatTheySay(t *testing.T) {
	all := services(t)
	for _, name := range []string{"bff-1", "bff-2"} {
		s := all[name]
		var environ []string
		for key, value := range s.Environment {
			environ = append(environ, key+"="+value)
		}
		c, err := config.Load(environ)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s.StopGrace <= c.Drain+time.Second {
			t.Errorf("%s is killed after %s, before its drain of %s is over", name, s.StopGrace, c.Drain)
		}
		_, port, _ := net.SplitHostPort(c.AdminAddr)
		if target := `"` + name + ":" + port + `"`; !strings.Contains(read(t, "deploy/prometheus/prometheus.yml"), target) {
			t.Errorf("Prometheus does not scrape %s", target)
		}
		for key, value := range s.Environment {
			if host, ok := strings.CutPrefix(value, "http://"); ok && all[host[:strings.IndexByte(host, ':')]].Image == "" {
				t.Errorf("%s: %s=%s names no service", name, key, value)
			}
		}
	}
}

func TestTheDockerfileIsPinned(t *testing.T) {
	release := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "go.mod"))[1]
	file := read(t, "Dockerfile")
	images, users := 0, strings.Count(file, "\nUSER 65532:65532\n")
	for _, from := range regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(file, -1) {
		switch base := from[1]; {
		case base == "scratch":
			images++
		case !pinned.MatchString(base) || !strings.HasPrefix(base, "golang:"+release+"."):
			t.Errorf("it builds with %s, not with an exact version of Go %s", base, release)
		}
	}
	if images != 3 || users != images {
		t.Errorf("%d images from nothing, %d of them for a user without rights; want 3", images, users)
	}
}
