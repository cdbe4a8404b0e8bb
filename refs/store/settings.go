package store

import (
	"context"
	"fmt"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
)

// The settings of memory, under context.* in git's configuration. Names of
// branches and remotes are read where they are used.
const (
	keySummaryLimit = "context.summaryLimit" // characters of a progress summary
	keyTextLimit    = "context.textLimit"    // bytes of one text
	keyNotes        = "context.notes"        // eager or lazy
	keyFsync        = "context.fsync"        // flush the journal before a step is acknowledged
	KeyRemote       = "context.remote"       // the remote that is meant without a name
	KeySign         = "context.gpgSign"      // sign every memory commit

	KeyFollow      = "context.follow"      // the hook post-checkout: memory follows the code's branch
	KeyPush        = "context.push"        // the hook pre-push: memory goes along with code
	KeyPushTimeout = "context.pushTimeout" // for how many seconds at most

	KeyRedact = "context.redact" // patterns of secrets, beside the built-in ones

	KeyCapture    = "context.capture"    // what the hooks of agents record: off, actions, full
	KeyAutoCommit = "context.autoCommit" // when they commit: off, turn, session
	KeyAutoSync   = "context.autoSync"   // they sync after a commit, in the background

	KeyMaxNewEntries = "context.maxNewEntries" // steps and commits that one fetch may bring
	KeySearchTime    = "context.searchTime"    // for how many milliseconds sync looks for what is valid below a refused commit

	KeyBudget     = "context.budget"     // tokens of the brief
	KeyCodeStatus = "context.codeStatus" // the brief lists what of the code is not committed
	KeyCodeWait   = "context.codeWait"   // for how many milliseconds at most

	AdviceRoadmap = "advice.contextRoadmap" // the roadmap was not revised for long
	AdviceEmpty   = "advice.contextEmpty"   // a commit brings nothing but its summary
	AdvicePurpose = "advice.contextPurpose" // a branch has no purpose
	AdviceWhy     = "advice.contextWhy"     // nobody said why a branch was abandoned

	keyGCAuto        = "context.gcAuto"        // loose objects that start a gc in the background
	KeyDeletedExpire = "context.deletedExpire" // from when on gc drops a deleted branch

	KeyRepo = "context.repo" // the repositories of search --all-repos, in the user's configuration

	KeyScoreWeight   = "context.search.scoreWeight" // of a commit's note in a search, and so on
	KeyOutcomeWeight = "context.search.outcomeWeight"
	KeyRecencyWeight = "context.search.recencyWeight"
	KeySearchCache   = "context.search.cacheLimit" // bytes of the index
	KeySearchBehind  = "context.search.background" // the index grows with memory, in the background

	defaultSummaryLimit  = 1500
	minSummaryLimit      = 200
	DefaultMaxNewEntries = 100_000
	MostMaxNewEntries    = 100_000_000
	DefaultSearchTime    = 3000
	MostSearchTime       = 3_600_000

	DefaultBudget   = 1500
	DefaultCodeWait = 150
	MostCodeWait    = 3_600_000

	defaultGCAuto        = 1000
	DefaultDeletedExpire = "90.days.ago"

	DefaultScoreWeight   = 0.7
	DefaultOutcomeWeight = 0.2
	DefaultRecencyWeight = 0.1
	MostWeight           = 1000
	DefaultSearchCache   = 256 << 20
)

// AdviceKeys are the settings that turn hints off.
func AdviceKeys() []string { return []string{AdviceRoadmap, AdviceEmpty, AdvicePurpose, AdviceWhy} }

// checkConfig refuses a setting that cannot be understood before anything is
// written.
func checkConfig(cfg *git.Config) error {
	for _, key := range []string{keyFsync, KeySign} {
		if _, err := cfg.Bool(key, false); err != nil {
			return fail.New(fail.ErrInvalid, fail.ConfigInvalid, err.Error(), "git config "+key+" true")
		}
	}
	limit, err := cfg.Int(keySummaryLimit, defaultSummaryLimit)
	if err == nil && limit < minSummaryLimit {
		err = fmt.Errorf("%s is %d; it must be at least %d", keySummaryLimit, limit, minSummaryLimit)
	}
	if err != nil {
		return fail.New(fail.ErrInvalid, fail.ConfigInvalid, err.Error(), fmt.Sprintf("git config %s %d", keySummaryLimit, defaultSummaryLimit))
	}
	if v, ok := cfg.String(keyNotes); ok && v != "eager" && v != "lazy" {
		return fail.New(fail.ErrInvalid, fail.ConfigInvalid, fmt.Sprintf("%s is '%s'; it must be eager or lazy", keyNotes, v),
			"git config "+keyNotes+" eager")
	}
	return nil
}

// defaultTextLimit bounds a text, such as the observation of a step: nobody reads more, and each view
// would have to.
const defaultTextLimit = 1 << 20

// minTextLimit leaves room for a line that says what was cut.
const minTextLimit = 1 << 10

// textLimit returns context.textLimit, in bytes.
func (s *Store) textLimit(ctx context.Context) (int, error) {
	cfg, err := s.repo.Config(ctx)
	if err != nil {
		return 0, err
	}
	limit, err := cfg.Int(keyTextLimit, defaultTextLimit)
	if err == nil && (limit < minTextLimit || limit > MaxStep) {
		err = fmt.Errorf("%s is %d; it must be between %d and %d", keyTextLimit, limit, minTextLimit, MaxStep)
	}
	if err != nil {
		return 0, fail.New(fail.ErrInvalid, fail.ConfigInvalid, err.Error(), fmt.Sprintf("git config %s %d", keyTextLimit, defaultTextLimit))
	}
	return limit, nil
}

// SummaryLimit returns context.summaryLimit, in characters.
func (s *Store) SummaryLimit(ctx context.Context) (int, error) {
	cfg, err := s.repo.Config(ctx)
	if err != nil {
		return 0, err
	}
	return cfg.Int(keySummaryLimit, defaultSummaryLimit)
}

// LazyNotes reports whether context.notes is lazy: COMMIT then writes no notes.
func (s *Store) LazyNotes(ctx context.Context) (bool, error) {
	cfg, err := s.repo.Config(ctx)
	if err != nil {
		return false, err
	}
	v, _ := cfg.String(keyNotes)
	return v == "lazy", nil
}
