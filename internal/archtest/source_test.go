package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "example.com/bff"

// file is one Go file of the project.
type file struct {
	*ast.File
	name    string // from the project's root, with slashes
	lines   int
	imports map[string]string // by the name that the file uses
}

func (f *file) pkg() string  { return path.Dir(f.name) }
func (f *file) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

func parse(name string, source []byte) (*file, error) {
	tree, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &file{File: tree, name: name, lines: strings.Count(string(source), "\n"), imports: map[string]string{}}
	for _, spec := range tree.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		local := nameOf(imported)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		for f.imports[local] != "" {
			local += "'" // _ and . may stand there more than once
		}
		f.imports[local] = imported
	}
	return f, nil
}

// nameOf guesses a package's name from its path: the last element that is not a version.
func nameOf(imported string) string {
	dir, base := path.Split(imported)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(dir)
	}
	return base
}

// project parses every Go file of the project, whatever its build tags.
func project(t *testing.T) []*file {
	t.Helper()
	root := os.DirFS("../..")
	var files []*file
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := path.Base(name); base == "testdata" || base == "node_modules" || len(base) > 1 && strings.ContainsAny(base[:1], "._") {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		source, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		f, err := parse(name, source)
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
