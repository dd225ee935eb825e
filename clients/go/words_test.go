package initd

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
	"testing"
)

// exported calls visit for each exported constant and variable of the package.
func exported(t *testing.T, visit func(kind token.Token, name *ast.Ident, spec *ast.ValueSpec)) {
	t.Helper()
	notTests := func(info fs.FileInfo) bool { return !strings.HasSuffix(info.Name(), "_test.go") }
	packages, err := parser.ParseDir(token.NewFileSet(), ".", notTests, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range packages["initd"].Files {
		for _, declaration := range file.Decls {
			group, ok := declaration.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST && group.Tok != token.VAR {
				continue
			}
			for _, spec := range group.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					if name.IsExported() {
						visit(group.Tok, name, spec.(*ast.ValueSpec))
					}
				}
			}
		}
	}
}

func TestExportedConstantsHaveTypesAndVariablesAreErrors(t *testing.T) {
	count := 0
	exported(t, func(kind token.Token, name *ast.Ident, spec *ast.ValueSpec) {
		count++
		if kind == token.CONST {
			if spec.Type == nil {
				t.Errorf("%s has no type", name)
			}
			return
		}
		of, _ := spec.Type.(*ast.Ident)
		call, _ := spec.Values[0].(*ast.CallExpr) // errors.New
		if !strings.HasPrefix(name.Name, "Err") || call == nil && (of == nil || of.Name != "error") {
			t.Errorf("%s isn't declared as an error", name)
		}
	})
	if count == 0 {
		t.Error("nothing was found")
	}
}

func TestTheWordsOfAStatus(t *testing.T) {
	var status Status
	if err := json.Unmarshal([]byte(`{"lifecycle":"active","launch":{"state":"failed","pass":1},"active":{"state":"of grace"},
		"inFlight":[{"pass":2,"phase":"active"}],"initializers":[{"name":"a","status":"notRun","phase":"launch"}]}`), &status); err != nil {
		t.Fatal(err)
	}
	if status.Lifecycle != LifecycleActive || status.Launch.Outcome != OutcomeFailed || status.Active.Outcome != "of grace" {
		t.Errorf("the states are %+v", status)
	}
	if pass := status.InFlight[0]; pass.Number != 2 || pass.Phase != PhaseActive {
		t.Errorf("the pass is %+v", pass)
	}
	if a := status.Initializer("a"); a.Status != ActivityNotRun || a.Phase != PhaseLaunch {
		t.Errorf("the initializer is %+v", a)
	}
}
