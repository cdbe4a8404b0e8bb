package transcript

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks/agent"
)

// messages is a trajectory with those messages and steps.
func messages(t *testing.T, system, user, info string, steps ...sweStep) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{
		"history":    []map[string]string{{"role": "system", "content": system}, {"role": "user", "content": user}},
		"trajectory": steps, "info": json.RawMessage(info),
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The last turn of an unfinished trajectory has what the instructions say of the goal and the end. Others
// have not, nor what is about the tools.
func TestTerms(t *testing.T) {
	const system = "SETTING: You are a player.\nYour goal is to find the flag. Its form is F{...}.\n\nCOMMANDS:\nsubmit"
	const user = "ISSUE:\nMend it\n\nINSTRUCTIONS:\nEdit files. When you're satisfied, you can submit your work.\nWhen you edit a file, indent it.\n\n" +
		"1. When you think you've fixed it,\n  re-run the script."
	steps := []sweStep{{Action: "create a"}, {Action: "python a"}, {Action: "create b"}, {Action: "python b"}}
	const want = "From the instructions: Your goal is to find the flag. Its form is F{...}. When you're satisfied, you can submit your work. " +
		"When you think you've fixed it, re-run the script."
	for info, has := range map[string]bool{"{}": true, `{"exit_status":"submitted"}`: false} {
		_, report, err := readTrace(t.Context(), traceFile(t, messages(t, system, user, info, steps...)), "x.traj")
		if err != nil || len(report.Turns) != 2 {
			t.Fatal(report, err)
		}
		if first, last := report.Turns[0].Terms, report.Turns[1].Terms; first != "" || (last == want) != has || !has && last != "" {
			t.Errorf("%s: %q, %q", info, first, last)
		}
	}
	if got := termsOf("<pr_description>\nMend it\n</pr_description>\nSteps:\n4. Rerun your script and confirm it!\n5. Think."); got != "Rerun your script and confirm it!" {
		t.Errorf("%q", got)
	}
	for _, none := range []string{"", "Find it.", "ISSUE:\nWhen you submit, it fails.\n\nINSTRUCTIONS:\nGo."} {
		if got := termsOf(none); got != "" {
			t.Errorf("%q: %q", none, got)
		}
	}
	r := &sweReader{goal: strings.Repeat("é", mostTerms)}
	if got := r.terms(); len(got) > mostTerms+len("From the instructions: …") {
		t.Errorf("%d bytes", len(got))
	}
}

// Each form of an edit is told by what it changes; one that the editor refused by nothing.
func TestEditsOfTrajectories(t *testing.T) {
	for action, want := range map[string]string{
		"edit 1:2\nfrom z3 import *\ns = Solver()\nend_of_edit":            "+ from z3 import *\n+ s = Solver()",
		"edit 'int(x)' 'round(x)'":                                         "+ round(x)\n- int(x)",
		`edit --search 'int(x)' --replace 'round(x)'`:                      "+ round(x)\n- int(x)",
		"insert 'a line' 7":                                                "+ a line",
		"append 'a line'":                                                  "+ a line",
		"str_replace_editor create /a.py --file_text 'x = 1\n'":            "+ x = 1",
		"str_replace_editor str_replace /a.py --old_str 'x' --new_str 'y'": "+ y\n- x",
		"str_replace_editor insert /a.py --insert_line 2 --new_str 'z'":    "+ z",
		"create a.py":                        "",
		"str_replace_editor view /a.py":      "",
		"str_replace_editor undo_edit /a.py": "",
		"python a.py":                        "",
	} {
		step := sweStep{Action: action, State: json.RawMessage(`{"open_file":"/a.py","working_dir":"/"}`)}
		if got := actOf(step).change; got != want {
			t.Errorf("%q: got %q, want %q", action, got, want)
		}
		if step.Observation = "Your proposed edit has introduced new syntax error(s)."; actOf(step).change != "" {
			t.Errorf("%q: a refused edit changed %q", action, actOf(step).change)
		}
	}
	text := messages(t, "", "Mend it", "{}", sweStep{Action: "edit 1:1\nx = 2\nend_of_edit", State: json.RawMessage(`{"open_file":"/r/a.py","working_dir":"/r"}`)})
	steps, report, err := readTrace(t.Context(), traceFile(t, text), "x.traj")
	if err != nil || len(steps) != 1 || len(report.Turns) != 1 {
		t.Fatal(steps, report, err)
	}
	if want := []agent.Edited{{File: "a.py", Change: "+ x = 2"}}; len(report.Turns[0].Edits) != 1 || report.Turns[0].Edits[0] != want[0] {
		t.Errorf("%+v", report.Turns[0].Edits)
	}
	if s := steps[0]; s.Action != "edit 1:1\nx = 2\nend_of_edit" || s.Change != "+ x = 2" || s.File != "a.py" {
		t.Errorf("the step is not as it was, or has no change: %+v", s)
	}
}
