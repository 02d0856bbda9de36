package main

import (
	"context"
	"log/slog"

	"example.com/bff/internal/app"
	"example.com/bff/internal/config"
)

// serve runs the service until a signal ends it.
func serve(p process) int {
	c, err := app.Load(p.environ)
	if err != nil {
		return mistaken(p, err)
	}
	log, b := logger(p, c), thisBuild()
	service, err := app.New(c, app.Options{Logger: log, Version: b.version, Revision: b.revision})
	if err != nil {
		return mistaken(p, err)
	}
	if err := service.Run(context.Background(), p.signals); err != nil {
		log.Error("ended", "error", err)
		return failed
	}
	return ok
}

func logger(p process, c *config.Config) *slog.Logger {
	if c.Log == "text" {
		return slog.New(slog.NewTextHandler(p.stdout, nil))
	}
	return slog.New(slog.NewJSONHandler(p.stdout, nil))
}
