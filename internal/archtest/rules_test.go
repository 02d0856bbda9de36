package archtest

// Any of the project's packages, for those that put the parts together.
var anything = []string{"*"}

// mayImport says which of the project's packages each package may import, outside its tests. A package that is not
// here has no place yet: give it one. merge and downstreams do not know each other, and the fakes know nothing of ours:
// they are the independent check on the wire.
var mayImport = map[string][]string{
	"internal/page":                 {},
	"internal/peer":                 {},
	"internal/pipenet":              {},
	"internal/accesslog":            {"internal/page"},
	"internal/admission":            {"internal/page", "internal/peer"},
	"internal/admission/redislimit": {"internal/page", "internal/admission"},
	"internal/cache":                {"internal/page"},
	"internal/downstreams":          {"internal/page"},
	"internal/handlers":             {"internal/page", "internal/peer"},
	"internal/merge":                {"internal/page"},
	"internal/ops":                  {"internal/page", "internal/slo"},
	"internal/override":             {"internal/page"},
	"internal/slo":                  {"internal/page"},
	"internal/slo/rules":            {"internal/page", "internal/slo"},
	"internal/slo/cmd/rules":        {"internal/slo/rules"},
	"internal/tracing":              {"internal/page"},
	"internal/config":               {"internal/page", "internal/downstreams"},
	"internal/app":                  anything,
	"internal/archtest":             {},
	"deploy/grafana":                {},
	"fakes":                         {},
	"storefront":                    {},
	// What tests are made with.
	"internal/redistest":     {},
	"internal/sim":           {"internal/world", "internal/pipenet", "fakes"},
	"internal/sim/chaos":     {"internal/world", "internal/pipenet", "fakes"},
	"internal/world":         {"internal/app", "internal/config", "internal/page", "internal/pipenet", "fakes"},
	"storefront/browsertest": {},
	"storefront/storytest":   {"storefront/browsertest"},
	"cmd/bff":                {"internal/app", "internal/config"},
	"cmd/demo":               anything,
	"cmd/fakes":              {"fakes"},
	"cmd/storefront":         {"storefront"},
}

// onlyIn says who may import a library, outside tests. A library that is not here has no place yet.
var onlyIn = map[string][]string{
	"github.com/caarlos0/env":             {"internal/config"},
	"github.com/chromedp":                 {"storefront/browsertest"},
	"github.com/failsafe-go/failsafe-go":  {"internal/downstreams", "internal/admission"},
	"github.com/go-chi":                   {"internal/handlers"},
	"github.com/hashicorp/golang-lru":     {"internal/cache", "internal/admission", "internal/downstreams"},
	"github.com/go-json-experiment/json":  {"internal/downstreams"},
	"go.uber.org/goleak":                  {"internal/world"},
	"gopkg.in/yaml.v3":                    {"internal/slo/rules"},
	"github.com/prometheus/client_golang": {"internal/slo"},
	"github.com/redis/go-redis":           {"internal/cache", "internal/admission/redislimit", "internal/redistest"},
	"go.opentelemetry.io":                 {"internal/tracing"},
	"golang.org/x/sync":                   anything,
	"golang.org/x/time":                   {"internal/admission"},
}

// programs are the folders of main packages.
var programs = []string{"cmd", "deploy/grafana", "internal/slo/cmd"}

// uses says where a name of another package may be used, outside tests: in the folders listed and those below them.
var uses = []struct {
	path, name string
	in         []string
	because    string
}{
	{"example.com/bff/internal/page", "NewQuote", []string{"internal/downstreams"}, "a live price comes from the price downstream alone"},
	{"os", "Exit", programs, "only a program decides how it ends"},
	{"log", "Fatal", programs, "only a program decides how it ends"},
	{"log", "Fatalf", programs, "only a program decides how it ends"},
	{"os", "Getenv", []string{"cmd", "storefront/browsertest", "internal/redistest"}, "the environment is read once, by config"},
	{"os", "LookupEnv", []string{"cmd"}, "the environment is read once, by config"},
	{"os", "Environ", []string{"cmd"}, "the environment is read once, by config"},
	{"log/slog", "SetDefault", nil, "loggers are passed in"},
	{"log/slog", "Default", nil, "loggers are passed in"},
	{"log/slog", "Debug", nil, "loggers are passed in"},
	{"log/slog", "Info", nil, "loggers are passed in"},
	{"log/slog", "Warn", nil, "loggers are passed in"},
	{"log/slog", "Error", nil, "loggers are passed in"},
	{"net/http", "DefaultClient", nil, "it has no timeouts, and is everybody's"},
	{"net/http", "DefaultTransport", nil, "it has no timeouts, and is everybody's"},
	{"net/http", "DefaultServeMux", nil, "it is everybody's"},
	{"net/http", "Handle", nil, "the default mux is everybody's"},
	{"net/http", "HandleFunc", nil, "the default mux is everybody's"},
	{"net/http", "Get", nil, "the default client has no timeouts"},
	{"github.com/prometheus/client_golang/prometheus", "DefaultRegisterer", nil, "each instance has a registry of its own"},
	{"github.com/prometheus/client_golang/prometheus", "MustRegister", nil, "each instance has a registry of its own"},
	{"github.com/prometheus/client_golang/prometheus", "Register", nil, "each instance has a registry of its own"},
}

// longestFile is in lines, for files that are not tests. Aim for 200.
const longestFile = 300
