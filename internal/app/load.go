package app

import (
	"example.com/bff/internal/cache"
	"example.com/bff/internal/config"
	"example.com/bff/internal/tracing"
)

// Load reads the environment as config.Load does, and has the parts judge what they alone understand, so that every
// mistake is told at once.
func Load(environ []string) (*config.Config, error) {
	return config.Load(environ, judgeRedis, judgeTracing)
}

func judgeRedis(c *config.Config) []config.Mistake {
	if c.RedisURL == "" {
		return nil
	}
	if err := cache.CheckURL(c.RedisURL.Reveal()); err != nil {
		return []config.Mistake{{Name: "BFF_REDIS_URL", Wrong: "is wrong: " + err.Error()}}
	}
	return nil
}

func judgeTracing(c *config.Config) (mistakes []config.Mistake) {
	for _, m := range tracing.Check(c.OTel) {
		mistakes = append(mistakes, config.Mistake{Name: m.Name, Wrong: m.Wrong})
	}
	return mistakes
}
