#!/bin/sh
# Prints a Homebrew formula for the archives of a release that SHA256SUMS, or a file like
# it, lists:
#
#	sh formula.sh v1.2.3 SHA256SUMS >git-context.rb
set -eu
version=$1 sums=$2
url=https://github.com/git-context/git-context/releases/download/$version

# archive prints what brew needs for one system; a release without it has no such lines.
archive() {
	name=git-context-$version-$1.tar.gz
	sum=$(awk -v name="$name" '$2 == name { print $1 }' "$sums")
	[ -z "$sum" ] || cat <<END
    on_$2 do
      url "$url/$name"
      sha256 "$sum"
    end
END
}

# system prints the archives of one system, if there are any.
system() {
	archives=$(archive "$1-arm64" arm; archive "$1-amd64" intel)
	[ -z "$archives" ] || printf '\n  on_%s do\n%s\n  end\n' "$2" "$archives"
}

stanzas=$(system darwin macos; system linux linux)
[ -n "$stanzas" ] || { echo "formula.sh: error: $sums lists no archive of $version" >&2; exit 1; }

cat <<END
class GitContext < Formula
  desc "Memory for AI coding agents, stored in git"
  homepage "https://github.com/git-context/git-context"
  version "${version#v}"
  license "MIT"

  depends_on "git"
$stanzas

  def install
    bin.install "git-context", "git-context-mcp", "git-context-web"
    man1.install Dir["man/man1/*"]
    man5.install Dir["man/man5/*"]
    man7.install Dir["man/man7/*"]
    bash_completion.install "completion/git-context.bash" => "git-context"
    zsh_completion.install "completion/git-context.zsh" => "_git-context"
    # fish reads no other directory before it completes git itself.
    (share/"fish/vendor_conf.d").install "completion/git-context.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/git-context version")
  end
end
END
