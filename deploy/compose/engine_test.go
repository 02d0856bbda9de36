//go:build compose

package compose

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// project keeps what the test starts apart from a demo of the same folder, but for the ports.
const project = "bff-compose-test"

const (
	// wholeStory bounds all of it but the building; ending bounds the way down after that.
	wholeStory = 10 * time.Minute
	building   = 20 * time.Minute
	ending     = 2 * time.Minute
	// patience bounds each wait. What is waited for takes seconds; a busy machine may take its time.
	patience = 2 * time.Minute
)

// engine is a Docker engine, asked through Compose v2 or v1.
type engine struct {
	t       *testing.T
	ctx     context.Context
	compose []string
}

// findEngine is nil where this machine has none; CI must have one. An interrupt ends its context, so that the test ends
// as a failed one does: with everything down.
func findEngine(t *testing.T) *engine {
	t.Helper()
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	t.Cleanup(stop)
	e := &engine{t: t, ctx: ctx, compose: []string{"docker", "compose"}}
	if _, err := e.run(ctx, "docker", "compose", "version"); err != nil {
		e.compose = []string{"docker-compose"}
	}
	_, noCompose := e.run(ctx, e.compose[0], append(e.compose[1:], "version")...)
	_, noEngine := e.run(ctx, "docker", "info")
	switch {
	case noCompose == nil && noEngine == nil:
		return e
	case os.Getenv("BFF_CI") != "":
		t.Fatalf("CI needs Docker and Compose: %v %v", noCompose, noEngine)
	}
	t.Log("the compose file was not tried: this needs a running Docker and Compose (Debian: apt-get install docker.io docker-compose)")
	return nil
}

// up builds, starts, and sees to it that all is down when the test ends. It tells when starting began.
func (e *engine) up() time.Time {
	e.t.Helper()
	e.within(building, "build")
	e.t.Cleanup(e.down)
	e.within(building, "up", "--no-start") // fetches what is not here yet
	since := time.Now()
	e.do("up", "-d")
	return since
}

func (e *engine) down() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), ending)
	defer cancel()
	if e.t.Failed() {
		state, _ := e.run(ctx, e.compose[0], e.args("ps")...)
		said, _ := e.run(ctx, e.compose[0], e.args("logs", "--no-color", "--tail", "15")...)
		e.t.Logf("%s\n%s", state, said)
	}
	if out, err := e.run(ctx, e.compose[0], e.args("down", "--volumes", "--remove-orphans", "--timeout", "10")...); err != nil {
		e.t.Errorf("not all of it is down: %v\n%s", err, out)
	}
}

func (e *engine) args(args ...string) []string {
	return append(append(e.compose[1:len(e.compose):len(e.compose)], "--project-name", project), args...)
}

// do asks Compose and fails the test unless it does what it is asked.
func (e *engine) do(args ...string) string {
	e.t.Helper()
	return e.within(patience, args...)
}

func (e *engine) within(limit time.Duration, args ...string) string {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(e.ctx, limit)
	defer cancel()
	out, err := e.run(ctx, e.compose[0], e.args(args...)...)
	if err != nil {
		e.t.Fatal(err)
	}
	return out
}

// docker asks Docker itself.
func (e *engine) docker(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(e.ctx, patience)
	defer cancel()
	return e.run(ctx, "docker", args...)
}

// run is a command in the project's root, and what it prints. It is out of reach of the terminal's interrupt, which is
// for the test: a command that is under way comes to its end.
func (e *engine) run(ctx context.Context, name string, args ...string) (string, error) {
	var out, complaints bytes.Buffer
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Stdout, command.Stderr = root, &out, &complaints
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, tail(complaints.String(), 4000))
	}
	return strings.TrimSpace(out.String()), nil
}

func tail(text string, most int) string { return text[max(0, len(text)-most):] }

// containers are those of the project, by service.
func (e *engine) containers() map[string]string {
	e.t.Helper()
	out, err := e.docker("ps", "--all", "--filter", "label=com.docker.compose.project="+project,
		"--format", `{{.Label "com.docker.compose.service"}} {{.ID}}`)
	if err != nil {
		e.t.Fatal(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(out) {
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[name] = id
	}
	return all
}
