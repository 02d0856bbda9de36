package main

import (
	"context"

	"example.com/bff/internal/app"
)

// serve runs the service until a signal ends it.
func serve(p process) int {
	c, err := app.Load(p.environ)
	if err != nil {
		return mistaken(p, err)
	}
	log, b := newLog(c.Log, p.stdout), thisBuild()
	defer log.end()
	service, err := app.New(c, app.Options{Logger: log.Logger, LostLines: log.lost.Load, Version: b.version, Revision: b.revision})
	if err != nil {
		return mistaken(p, err)
	}
	if err := service.Run(context.Background(), p.signals); err != nil {
		log.Error("ended", "error", err)
		return failed
	}
	return ok
}
