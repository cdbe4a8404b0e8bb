# `make demo` shows what it is; `make test` says whether it works. Nothing is
# needed but Go, git and make.

GO      ?= go
PREFIX  ?= /usr/local
# A shell that is not bash leaves the ~ of PREFIX=~/.local as it is.
override PREFIX := $(patsubst ~/%,$(HOME)/%,$(PREFIX))
# What urfave/cli would otherwise add to every start: 0.3 to 1.1 ms.
TAGS    := urfave_cli_no_docs,urfave_cli_no_suggest
# How long each fuzz target runs.
T       ?= 30s
# The long tests that may run beside each other, and those that have many agents of
# their own; the laws over random histories; and packages whose properties are quick.
SOAK      ?= TestKill|TestHooksOfAgents|TestModel|TestMatrix|TestFull|TestFileSize|TestReadOnly|TestDenied|TestFsckBeside|TestGC|TestUsersGC|TestReleaseIs|TestGiants|TestLoad|TestDay|TestWorkers|TestImport
SOAK_SYNC ?= TestSync
LAWS      ?= TestMerge|TestReplicas|TestRewriteLaws|TestDisjoint|TestContradictions
LAWS_IN   ?= ./refs/merge ./refs/share ./refs/expunge
QUICK     ?= ./notes ./refs/doc ./refs/index ./refs/journal ./refs/peer
# Where make agents installs the clients, and which of them it runs.
CLIENTS ?= $(CURDIR)/bin/agents
AGENT   ?= .*
# Which tests make browser runs.
BROWSER ?= Test
# Properties draw the same cases in each run; RAPID_SEED=0 draws new ones.
RAPID_SEED ?= 1
export RAPID_SEED

# A release's tag, and between releases what git describe says; before the first, a version
# as Go makes it. A tree without .git has none, whatever repository is around it: name it,
# make VERSION=v1.2.3.
ifneq ($(wildcard .git),)
VERSION := $(shell git describe --tags --abbrev=12 --match 'v[0-9]*' --dirty 2>/dev/null || \
	TZ=UTC git show -s --date=format-local:%Y%m%d%H%M%S --abbrev=12 --format=v0.0.0-%cd-%h 2>/dev/null)
COMMIT  := $(shell git rev-parse HEAD 2>/dev/null)
DATE    := $(shell git show -s --format=%cs HEAD 2>/dev/null)
SECONDS := $(shell git show -s --format=%ct HEAD 2>/dev/null)
endif
PKG     := github.com/git-context/git-context/cmd
LDFLAGS := -s -w $(if $(VERSION),-X $(PKG).version=$(VERSION)) $(if $(COMMIT),-X $(PKG).commit=$(COMMIT))
BIN     := bin/git-context
DEST    := $(DESTDIR)$(PREFIX)
MAN     := $(DEST)/share/man
# Where each shell looks for what completes the commands of others.
BASH    := $(DEST)/share/bash-completion/completions
ZSH     := $(DEST)/share/zsh/site-functions
FISH    := $(DEST)/share/fish/vendor_conf.d
# What a release is built for.
SYSTEMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: build man completion test race agents browser screenshots soak lint bench resume scale diagrams demo fuzz dist dist-test install uninstall clean

build:
	$(GO) build -trimpath -tags $(TAGS) -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/git-context
	$(GO) build -trimpath -tags $(TAGS) -ldflags '$(LDFLAGS)' -o $(BIN)-mcp ./cmd/git-context-mcp
	$(GO) build -trimpath -tags $(TAGS) -ldflags '$(LDFLAGS)' -o $(BIN)-web ./cmd/git-context-web

man:
	rm -rf bin/man
	$(GO) run -trimpath -tags $(TAGS) ./cmd/manual -version '$(VERSION)' -date '$(DATE)' bin/man

completion: build
	mkdir -p bin/completion
	for shell in bash zsh fish; do $(BIN) completion $$shell >bin/completion/git-context.$$shell || exit 1; done

# In memory the tests take half of the time.
tmp = TMPDIR=$$(sh test/tmpdir.sh)

# Of a package that passes go test shows nothing: what it could not start is asked
# for once more. go's own limit, ten minutes for a package, is too short on a machine
# that does much else, or that takes five times as long to start a process.
test:
	$(tmp) $(GO) test -tags $(TAGS) -timeout 60m ./...
	@$(tmp) $(GO) test -tags $(TAGS) -timeout 60m -run '^TestServers$$' -v ./test | sed -n 's/.*\(\*\*\* SKIPPED SERVERS\)/\1/p'

# The packages that make race tests.
RACE := ./...

# The race detector needs C. Go knows which compiler it would use, and turns cgo off
# where there is none.
have_cc = [ "$$($(GO) env CGO_ENABLED)" = 1 ] && command -v $$($(GO) env CC) >/dev/null

race:
	@$(have_cc) || { echo 'make race: the race detector needs a C compiler' >&2; exit 1; }
	$(tmp) $(GO) test -race -tags $(TAGS) -timeout 60m $(RACE)

# The released clients of coding agents, from npm, with the hooks and the server of git-context and a scripted model,
# and the inspector and the conformance suite of the Model Context Protocol. One of them: make agents AGENT=codex.
agents:
	$(tmp) GIT_CONTEXT_AGENTS='$(CLIENTS)' $(GO) test -tags $(TAGS) -count=1 -timeout 20m -v -run '^Test(Agents|Protocol)$$/^($(AGENT))$$' ./test/agents

# The pages of git context web in Chromium, and axe-core from npm. They have a module of their own: the first
# time, chromedp is downloaded. A part of it: make browser BROWSER=TestKeys.
browser:
	$(GO) vet -C test/browser ./...
	$(tmp) GIT_CONTEXT_BROWSER='$(CURDIR)/bin/browser' $(GO) test -C test/browser -count=1 -timeout 20m -v -run '^($(BROWSER))' ./...

# docs/screenshots/*.png, of the demo's memory. The same Chromium with the same fonts makes the same bytes.
screenshots:
	GIT_CONTEXT_SCREENSHOTS='$(CURDIR)/docs/screenshots' $(GO) test -C test/browser -count=1 -timeout 5m -v -run '^TestScreenshots$$' ./...

# What make test plays in small, in large, see docs/reliability.md. Of the lines
# that it prints, those with "figures:" say what was played. A part of it:
# make soak SOAK=TestModel.
soak:
	GIT_CONTEXT_SOAK=1 $(GO) test -tags $(TAGS) -count=1 -timeout 3h -parallel 2 -run '^($(SOAK))' -v ./test
	GIT_CONTEXT_SOAK=1 $(GO) test -tags $(TAGS) -count=1 -timeout 1h -parallel 1 -run '^($(SOAK_SYNC))' -v ./test
	$(GO) test -tags $(TAGS) -count=1 -timeout 1h -run '^($(LAWS))' -v $(LAWS_IN) -rapid.checks=300
	$(GO) test -tags $(TAGS) -count=1 -timeout 1h $(QUICK) -rapid.checks=2500

lint:
	@echo 'gofmt -l .'; unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l .) || exit 1; \
	[ -z "$$unformatted" ] || { echo "make lint: not formatted:" $$unformatted >&2; exit 1; }
	$(GO) vet -tags $(TAGS) ./...
	$(GO) vet -tags $(TAGS),faults ./...
	GOOS=windows $(GO) vet -tags $(TAGS) ./...
	GOOS=darwin $(GO) vet -tags $(TAGS) ./...
	$(GO) tool staticcheck -tags $(TAGS) ./...

bench:
	$(GO) run ./test/bench

resume:
	@$(GO) run ./test/resume

demo: build
	@sh test/demo.sh $(BIN)

# Every fuzz target for T, and how often it was run.
fuzz:
	@for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -tags $(TAGS) -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			said=$$($(GO) test -tags $(TAGS) -run '^$$' -fuzz "^$$target\$$" -fuzztime $(T) $$pkg 2>&1) || { echo "$$said"; exit 1; }; \
			echo "$${pkg#*/*/*/} $$target: $$(echo "$$said" | sed -n 's/.* execs: \([0-9]*\).*/\1/p' | tail -n 1) executions"; \
		done; \
	done

# What a sync costs, and with that a thousand agents: docs/scale.md.
scale:
	$(GO) run ./test/scale measure > docs/scale/measured.csv.new
	mv docs/scale/measured.csv.new docs/scale/measured.csv
	$(GO) run ./test/scale simulate docs/scale/measured.csv docs/scale.md

# The pictures of docs, by Graphviz, whose version is not to be seen in them.
diagrams:
	@set -e; for dot in docs/diagrams/*.dot; do svg=$${dot%.dot}.svg; \
		neato -n2 -Tsvg "$$dot" >"$$svg.new"; sed '/^<!-- Generated/,/-->/d' "$$svg.new" >"$$svg"; rm "$$svg.new"; done

# Static builds with their pages and completion, and what they hash to. git packs them,
# and gives all files the time of the commit: the same commit and the same Go make the
# same bytes. What is not committed is not in them, so there must be nothing. Packages for
# Linux are made of the archives, see internal/dist, which has a module of its own.
dist: man completion
	@test -z "$$(git status --porcelain)" || { echo 'make dist: commit or remove what git status shows' >&2; exit 1; }
	rm -rf dist bin/dist
	mkdir dist bin/dist
	@set -e; for system in $(SYSTEMS); do \
		os=$${system%/*}; arch=$${system#*/}; name=git-context-$(or $(VERSION),$(COMMIT))-$$os-$$arch; \
		case $$os in windows) exe=.exe pack=zip;; *) exe= pack=tar.gz;; esac; \
		out=bin/dist/$$os-$$arch; echo "dist/$$name.$$pack"; set -- --prefix=$$name/; \
		for program in git-context git-context-mcp git-context-web; do \
			CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -buildvcs=false -tags $(TAGS) -ldflags '$(LDFLAGS)' -o $$out/$$program$$exe ./cmd/$$program; \
			set -- "$$@" --add-file=$$out/$$program$$exe; \
		done; \
		for section in man1 man5 man7; do set -- "$$@" --prefix=$$name/man/$$section/; for page in bin/man/$$section/*; do set -- "$$@" --add-file=$$page; done; done; \
		set -- "$$@" --prefix=$$name/completion/; for file in bin/completion/*; do set -- "$$@" --add-file=$$file; done; \
		git archive --format=$$pack -o dist/$$name.$$pack "$$@" --prefix=$$name/ HEAD LICENSE README.md CHANGELOG.md; \
	done
	$(GO) run -C internal/dist . -date $(SECONDS) '$(VERSION)' ../../dist
	cd dist && sha256sum * >SHA256SUMS
	! grep -q '\.tar\.gz$$' dist/SHA256SUMS || sh internal/dist/formula.sh '$(VERSION)' dist/SHA256SUMS >dist/git-context.rb
	sed 's/^release=$$/release=$(VERSION)/' internal/dist/install.sh >dist/install.sh
	rm dist/SHA256SUMS
	cd dist && sha256sum * >SHA256SUMS

# Checks how packages are made. It is no part of make lint and make test: the first time, nfpm is
# downloaded and built.
dist-test:
	$(GO) vet -C internal/dist ./...
	$(GO) test -C internal/dist ./...

install: build man completion
	install -d '$(DEST)/bin' '$(MAN)/man1' '$(MAN)/man5' '$(MAN)/man7' '$(BASH)' '$(ZSH)' '$(FISH)'
	install -m 755 $(BIN) '$(DEST)/bin/git-context'
	install -m 755 $(BIN)-mcp '$(DEST)/bin/git-context-mcp'
	install -m 755 $(BIN)-web '$(DEST)/bin/git-context-web'
	install -m 644 bin/man/man1/* '$(MAN)/man1'
	install -m 644 bin/man/man5/* '$(MAN)/man5'
	install -m 644 bin/man/man7/* '$(MAN)/man7'
	install -m 644 bin/completion/git-context.bash '$(BASH)/git-context'
	install -m 644 bin/completion/git-context.zsh '$(ZSH)/_git-context'
	install -m 644 bin/completion/git-context.fish '$(FISH)/git-context.fish'

# What install made, and the folders that are empty without it.
uninstall:
	rm -f '$(DEST)/bin/git-context' '$(DEST)/bin/git-context-mcp' '$(DEST)/bin/git-context-web' '$(BASH)/git-context' '$(ZSH)/_git-context' '$(FISH)/git-context.fish' \
		'$(MAN)'/man1/git-context.1 '$(MAN)'/man1/git-context-*.1 '$(MAN)/man5/gitcontext-formats.5' \
		'$(MAN)/man7/gitcontext-errors.7'
	-@rmdir '$(MAN)/man1' '$(MAN)/man5' '$(MAN)/man7' '$(MAN)' '$(BASH)' '$(DEST)/share/bash-completion' '$(ZSH)' '$(DEST)/share/zsh' \
		'$(FISH)' '$(DEST)/share/fish' '$(DEST)/share' '$(DEST)/bin' '$(DEST)' 2>/dev/null

clean:
	rm -rf bin dist
