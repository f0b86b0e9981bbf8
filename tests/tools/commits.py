# SPDX-License-Identifier: Apache-2.0
"""Checks the messages of new commits: `area: imperative summary` in 72 columns, and a body.

Commits up to BASE are older than the rule. In a shallow clone that lacks BASE, commits count as new
by their date. Without a git history, as in an archive of the sources, the check is skipped.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASE = "47eca5c6887d7667edf568c260f9d8b85bc5d840"
BASE_DATE = "2026-11-28T11:18:12+00:00"
COLUMNS = 72
SUBJECT = re.compile(r"(?P<area>[\w./+*{}, -]+): (?P<summary>\S.*)$")
# The verbs that a summary may begin with. Add missing verbs here.
VERBS = set(
    """
    accept adapt add adjust adopt align allocate allow answer apply assert assign attach avoid
    await ban base batch begin bind bound break bring build bump cache call cap carry catch
    change check choose clamp clarify clean clear close collect combine commit compare compile
    complete compute configure connect consume control convert copy correct count cover cut
    declare decline decode deduplicate default defer define delete deliver deprecate derive
    describe detach detect disable disallow disconnect distinguish divide document drain draw
    drop duplicate edit emit enable encode end enforce ensure enter erase escape evaluate
    examine exclude execute expand explain export expose extend extract fail fall fetch fill
    find finish fix flatten fold follow force format forward free freeze fuse gate generate get
    give group guard handle hash hide hoist hold implement import improve include increase index
    infer inherit initialize inline inspect install instantiate introduce invert invoke isolate
    iterate join keep launch lay learn leave let lift limit link lint list load lock log look
    lower maintain make map mark match measure mend merge migrate minimize mirror modify move
    name narrow need normalize note notify number observe offer omit open optimize order
    override own pack pad parse pass patch pause perform permit pick pin place plan point polish
    pop populate port precompute prefer prepare prevent print probe profile propagate protect
    prove provide prune publish push put qualify quote raise rank reach read rebase rebuild
    reclaim recognize record recover redirect reduce refactor refer reflow refuse regenerate
    register reject relax release rely remember remove rename render reorder reorganize repair
    repeat replace replay report require rerun reserve reset resize resolve respect restart
    restore restrict restructure resume retain retry return reuse reverse revert review reword
    rewrite rotate round run sample save say scale scan schedule search select send separate
    serve set settle shard share shift shorten show shrink shut signal simplify size skip solve
    sort speak specify speed spell split stabilize stage start state stop store stream stress
    strip subscribe substitute subtract sum summarize support suppress swap switch sync
    synchronize tag take teach tell test throw tidy tighten time tolerate touch trace track
    transform translate traverse treat trigger trim truncate try tune turn type unify unload
    unpack unwrap update upgrade use validate vectorize verify version view wait walk want warn
    weigh widen work wrap write yield
    """.split()
)


def git(root: pathlib.Path, *arguments: str) -> str | None:
    """Returns git's output, or None if it fails."""
    done = subprocess.run(
        ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False
    )
    return done.stdout if done.returncode == 0 else None


def complaints(message: str) -> list[str]:
    """Lists the faults of a message."""
    subject, _, body = message.strip().partition("\n")
    found = []
    if len(subject) > COLUMNS:
        found.append(f"subject must have {COLUMNS} columns at most, got {len(subject)}")
    match = SUBJECT.match(subject)
    if match is None:
        found.append(f'subject must be "area: imperative summary", got "{subject}"')
    else:
        verb = re.match(r"[\w-]*", match["summary"])[0]
        if verb.lower().split("-")[0] not in VERBS:
            found.append(f'summary must begin with a verb of VERBS, imperative, got "{verb}"')
    if subject.endswith("."):
        found.append("subject must not end with a full stop")
    if body and not body.startswith("\n"):
        found.append("subject must be followed by an empty line")
    if not body.strip():
        found.append("message must have a body that says why and how it was checked, got none")
    return found


def new_commits(root: pathlib.Path, base: str, date: str) -> tuple[list[str], str]:
    """Returns the commits after the base without merges, and how they were found or why not."""
    top = git(root, "rev-parse", "--show-toplevel")
    if top is None or pathlib.Path(top.strip()).resolve() != root.resolve():
        return [], "skipped: there is no git history here"
    if git(root, "cat-file", "-e", f"{base}^{{commit}}") is not None:
        listed = git(root, "rev-list", "--no-merges", f"{base}..HEAD")
        return (listed or "").split(), f"after {base[:8]}"
    if (git(root, "rev-parse", "--is-shallow-repository") or "").strip() == "true":
        listed = git(root, "rev-list", "--no-merges", f"--since={date}", "HEAD")
        return (listed or "").split(), f"after {date}, since the clone is shallow"
    return [], f"skipped: this history does not have {base[:8]}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--base", default=BASE, help="the last commit that is not checked")
    parser.add_argument("--date", default=BASE_DATE, help="its date, for shallow clones")
    options = parser.parse_args(arguments)
    commits, how = new_commits(options.root, options.base, options.date)
    wrong = 0
    for commit in commits:
        message = git(options.root, "log", "-1", "--format=%B", commit) or ""
        found = complaints(message)
        wrong += bool(found)
        for text in found:
            print(f"commits: {commit[:8]}: {text}")
    print(f"commits: {len(commits)} new, {wrong} to reword ({how})")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
