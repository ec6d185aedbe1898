# %% [markdown]
# # Four questions, answered from published files
#
# What it needs, in the project's folder:
#
# ```
# npm ci && npm run demo -- --once                        # publishes an invented world in .govdata/demo/8787
# python3 -m venv .venv && .venv/bin/pip install duckdb
# .venv/bin/python snapshots/notebook.py                  # prints NOTEBOOK.md
# ```
#
# VS Code, PyCharm and Jupyter (with Jupytext) open this file as a notebook. For your own data, set `GOVDATA_SNAPSHOTS`
# to the folder that holds `current.json`, and change the names in capitals: a DAO that is not ranked is replaced by one
# that is.

# %%
import json
import math
import os
import sys
from datetime import datetime
from pathlib import Path

import duckdb

# Editors start a notebook in its own folder; the demo's data are in one above it.
ROOT = next((folder for folder in [Path.cwd(), *Path.cwd().parents] if (folder / ".govdata").exists()), Path.cwd())
PUBLISHED = Path(os.environ.get("GOVDATA_SNAPSHOTS", ROOT / ".govdata/demo/8787/published")).resolve()
# The hub's votes in the demo's archive. They are not published, because scores are computed from measures of them.
VOTES = PUBLISHED.parent / "world" / "votes"

if not (PUBLISHED / "current.json").exists():
    sys.exit(f"{PUBLISHED}/current.json does not exist.\n"
             "Run `npm run demo -- --once` in the project's folder first, or set GOVDATA_SNAPSHOTS.")
VERSION = PUBLISHED / json.loads((PUBLISHED / "current.json").read_text())["version"]

db = duckdb.connect()
db.execute("SET file_search_path = '{}'".format(str(VERSION).replace("'", "''")))
db.execute("SET threads = 1")  # sums in one order: the same digits each time
# This mean splits a change of a product among its factors, so that the parts add up to the whole.
db.execute("CREATE OR REPLACE MACRO log_mean(a, b) AS CASE WHEN a = b THEN a ELSE (b - a) / ln(b / a) END")

RANKED = [row["space_id"] for row in sorted(json.loads((VERSION / "rankings.json").read_text()), key=lambda row: row["rank"])]
if not RANKED:
    sys.exit(f"No DAO of {VERSION.name} has a score: there is nothing to show.")


def ranked(*names):
    """These DAOs if the version ranks them all; otherwise the first ones of its ranking, which it says on stderr."""
    if set(names) <= set(RANKED):
        return names
    others = (RANKED * len(names))[:len(names)]
    print(f"{' and '.join(names)} not ranked in {VERSION.name}: {' and '.join(others)} instead", file=sys.stderr)
    return others


def table(query, *values):
    """Prints the rows of a query as a Markdown table, and returns them as dictionaries."""
    result = db.execute(query, values)
    names = [column[0] for column in result.description]
    rows = result.fetchall()
    # Adding 0 makes 0.00 of -0.00.
    words = lambda value: f"{round(value, 2) + 0:.2f}" if isinstance(value, float) else str(value).replace("|", "\\|")
    for line in [names, ["---"] * len(names), *[map(words, row) for row in rows]]:
        print("|" + "|".join(line) + "|")
    print()
    return [dict(zip(names, row)) for row in rows]

# %% [markdown]
# ## 1. Who moved most, and why?
#
# `history/` has a point for each day. GVS + 1 is a product of the four components + 1, each to the power of its weight,
# so the logarithmic mean splits a move among them. The points are rounded: parts may miss their sum by a hundredth.
# A component moves when proposals are added, when older ones fade, and when more is known about them.

# %%
DAYS = 30

print("# Four questions, answered from published files\n")
print("Printed from the demo's invented world by [notebook.py](notebook.py), which says how.\n")
print("## 1. Who moved most, and why?\n")
db.execute("""CREATE OR REPLACE TABLE point AS
    SELECT space_id, unnest(points, recursive := true) FROM read_json('history/*.json')""")
moves = table("""
    SELECT * EXCLUDE mean FROM (
    SELECT space_id, past.gvs AS before, now.gvs AS after, now.gvs - past.gvs AS move,
           log_mean(1 + past.gvs, 1 + now.gvs) AS mean,
           mean * 0.3 * ln((1 + now.hpr) / (1 + past.hpr)) AS hpr,
           mean * 0.3 * ln((1 + now.dei) / (1 + past.dei)) AS dei,
           mean * 0.2 * ln((1 + now.pdi) / (1 + past.pdi)) AS pdi,
           mean * 0.2 * ln((1 + now.gpi) / (1 + past.gpi)) AS gpi
    FROM point now JOIN point past USING (space_id, methodology_version)
    WHERE now.date = (SELECT max(date) FROM point) AND past.date = now.date - ?::INTEGER)
    ORDER BY abs(move) DESC, space_id""", DAYS)
if moves:
    top = moves[0]
    largest = max(["hpr", "dei", "pdi", "gpi"], key=lambda part: abs(top[part]))
    print(f"**{top['space_id']}** moved most in {DAYS} days, by {top['move']:+.2f}; the largest part of it, "
          f"{top[largest]:+.2f}, came from {largest}. Of the proposals that its score rests on, these are new:\n")
    new = table("""
        WITH frame AS (SELECT title, end_at, weight, 100 * weight / sum(weight) OVER () AS weight_pct
                       FROM read_ndjson(?) WHERE place = 'MEMBER')
        SELECT title, strftime(end_at, '%Y-%m-%d') AS ended, weight, weight_pct FROM frame
        WHERE end_at::DATE > (SELECT max(date) FROM point) - ?::INTEGER ORDER BY end_at""",
        f"proposals/{top['space_id']}.ndjson", DAYS)
    print(f"They hold {sum(row['weight_pct'] for row in new):.0f} % of the weight. "
          f"`node dist/pipeline/cli/main.js diff --days {DAYS} --snapshots .govdata/demo/8787/published` goes on to the "
          "indicators.\n")
else:
    print(f"No DAO has a score on both of two days that are {DAYS} days apart.\n")

# %% [markdown]
# ## 2. Can two DAOs be told apart?
#
# `evidence/` has the low and the high end of every score. Without assumptions about unknown data, the difference is
# between A's low end minus B's high end and A's high end minus B's low end. If 0 is in between, the data cannot tell
# the DAOs apart, regardless of their ranks. `open` is the part of a score's width that a component causes.

# %%
A, B = ranked("tidewater-credit.example", "copper-kettle.example")

print("## 2. Can two DAOs be told apart?\n")
db.execute("CREATE OR REPLACE TABLE evidence AS SELECT * FROM read_json('evidence/*.json') "
           "LEFT JOIN (SELECT space_id, rank FROM 'rankings.json') USING (space_id)")
db.execute("""
    CREATE OR REPLACE VIEW pair AS
    SELECT a.space_id AS a, b.space_id AS b, a.rank AS rank, a.gvs.point - b.gvs.point AS difference,
           a.gvs.low - b.gvs.high AS lowest, a.gvs.high - b.gvs.low AS highest, lowest > 0 OR highest < 0 AS told_apart
    FROM evidence a JOIN evidence b ON a.rank < b.rank""")
print("Each DAO and the next in rank:\n")
table("SELECT a, b, difference, lowest, highest, told_apart FROM pair JOIN evidence next ON b = next.space_id "
      "WHERE next.rank = pair.rank + 1 ORDER BY pair.rank")
apart, pairs = db.execute("SELECT count(*) FILTER (told_apart), count(*) FROM pair").fetchone()
print(f"Of all {pairs} pairs, {apart} can be told apart.\n")

scores = " UNION ALL ".join(
    f"SELECT space_id, {place} AS no, '{name}' AS score, {weight} AS weight, {path}.low, {path}.high, gvs FROM evidence"
    for place, (name, weight, path) in enumerate([
        ("gvs", 1, "gvs"), ("hpr", 0.3, "components.hpr"), ("dei", 0.3, "components.dei"),
        ("pdi", 0.2, "components.pdi"), ("gpi", 0.2, "components.gpi")]))
print(f"A is {A}, B is {B}:\n")
sides = table(f"""
    WITH side AS (SELECT *, log_mean(1 + gvs.low, 1 + gvs.high) * weight * ln((1 + high) / (1 + low)) AS open
                  FROM ({scores}))
    SELECT score, a.low AS a_low, a.high AS a_high, b.low AS b_low, b.high AS b_high,
           a.low - b.high AS lowest, a.high - b.low AS highest, a.open AS open_in_a, b.open AS open_in_b
    FROM side a JOIN side b USING (score) WHERE a.space_id = ? AND b.space_id = ? ORDER BY a.no""", A, B)
whole = sides[0]
if whole["lowest"] > 0 or whole["highest"] < 0:
    print(f"**{A if whole['lowest'] > 0 else B} is ahead**, and the difference is larger than its uncertainty.\n")
else:
    side = "b" if whole["open_in_b"] > whole["open_in_a"] else "a"
    widest = max(sides[1:], key=lambda row: row[f"open_in_{side}"])
    print(f"**They cannot be told apart.** {side.upper()}'s gvs is more open: {whole[f'open_in_{side}']:.2f}, "
          f"of which {widest['score']} {widest[f'open_in_{side}']:.2f}.\n")

# %% [markdown]
# ## 3. Recompute one score
#
# First from votes to a mark: `effective` is the number of equal voters, 1/Σs², with full marks at 50. The published
# high end is before, the low end after merging voters who vote alike. An organisation with several wallets in the
# registry is one voter; this DAO has none. For other DAOs, give its wallets one name here.

# %%
SPACE, = ranked("second-breakfast.example")

print("## 3. Recompute one score\n")
db.execute("CREATE OR REPLACE TABLE line AS SELECT * FROM read_ndjson(?) WHERE place = 'MEMBER'",
           [f"proposals/{SPACE}.ndjson"])
if (VOTES / f"{SPACE}.ndjson").exists():
    print(f"The mark `effective` of each proposal of {SPACE}, from its votes:\n")
    marks = table("""
        WITH vote AS (SELECT proposal, lower(voter) AS voter, arg_max(vp, (created, id)) AS power
                      FROM read_ndjson(?, columns = {proposal: 'VARCHAR', id: 'VARCHAR', voter: 'VARCHAR',
                                                     created: 'BIGINT', vp: 'DOUBLE'})
                      WHERE vp > 0 GROUP BY ALL),
             share AS (SELECT proposal, power / sum(power) OVER (PARTITION BY proposal) AS s FROM vote)
        SELECT title, count(*) AS voters, 1 / sum(s * s) AS equal_voters,
               least(1, ln(1 / sum(s * s)) / ln(50)) AS recomputed, effective_high AS published
        FROM share JOIN line ON line.id = proposal AND effective_high IS NOT NULL
        GROUP BY line.id, title, end_at, effective_high ORDER BY end_at""",
        str(VOTES / f"{SPACE}.ndjson"))
    equal = sum(math.isclose(row["recomputed"], row["published"], abs_tol=1e-9) for row in marks)
    print(f"{equal} of {len(marks)} equal the published mark to 1e-9.\n")

# %% [markdown]
# Then from marks to indicators. Marks from votes weigh less if some votes were not fetched, and `loyalty` if there are
# few earlier proposals to compare with. The 2 stands for two unseen proposals.

# %%
print("Its indicators, from the marks of its proposals:\n")
indicators = table("""
    WITH number AS (SELECT weight, fetched_share, loyalty_attention, COLUMNS('_(low|high)$')::DOUBLE FROM line),
         mark AS (UNPIVOT number ON COLUMNS('_(low|high)$') INTO NAME name VALUE m),
         weighed AS (SELECT name[:-(length(split_part(name, '_', -1)) + 2)] AS indicator, name LIKE '%_low' AS is_low, m,
                            weight * if(indicator IN ('discussion', 'period', 'delay', 'quorum'), 1, fetched_share)
                                   * if(indicator = 'loyalty', loyalty_attention / 10, 1) AS w
                     FROM mark)
    SELECT indicator, sum(w) FILTER (is_low) AS k, sum(w * m) FILTER (is_low) / (k + 2) AS low,
           (sum(w * m) FILTER (NOT is_low) + 2) / (k + 2) AS high
    FROM weighed WHERE indicator NOT IN ('majority_voters', 'hhi_points', 'gini')  -- no marks, but ends of concentration
    GROUP BY indicator ORDER BY indicator""")
ends = {row["indicator"]: (row["low"], row["high"]) for row in indicators}

# %% [markdown]
# Three indicators and presence need more than marks: the authors and settings of the evidence, and when each proposal
# ended. A component is ten times presence times the mean of its indicators; its point is the middle of its two ends.

# %%
evidence = json.loads((VERSION / "evidence" / f"{SPACE}.json").read_text())
measures = evidence["measures"]
clamp = lambda x: min(1, max(0, x))
moment = lambda text: datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")
days = lambda duration: duration.total_seconds() / 86_400
as_of = moment(evidence["as_of"])
unseen = max(0, days(as_of - moment(measures["fetched_at"]))) if measures["fetched_at"] else math.inf
proposals = [(days(as_of - end_at), attention)
             for end_at, attention in db.execute("SELECT end_at, attention FROM line").fetchall()]

present = clamp(sum(attention * clamp((180 - age) / 60) for age, attention in proposals) / 2)
presence = {"low": present, "high": present + (1 - present) * clamp(unseen / 7)}

# Cadence: of each moment of 180 days, the largest attention that ended in the 30 days before it. It changes only where
# a proposal ends, or ended 30 days ago.
turns = sorted({0, 180, *(clamp((age - reach) / 180) * 180 for age, _ in proposals for reach in (0, 30))})
reaching = lambda age: max((attention for ended, attention in proposals if ended - 30 <= age < ended), default=0)
cadence = sum((older - newer) * reaching((newer + older) / 2) for newer, older in zip(turns, turns[1:])) / 180
ends["cadence"] = (cadence, min(1, cadence + unseen / 180))

# Proposers: the chance that two proposals drawn by weight have different authors; .9 gives full marks.
authors = measures["authors"]
chances = authors["sum"] ** 2 - authors["of_proposals"]
if chances > 0:
    k = chances / authors["sum"]
    mark = clamp((authors["sum"] ** 2 - authors["of_authors"]) / chances / 0.9)
    ends["proposers"] = (k * mark / (k + 2), (k * mark + 2) / (k + 2))

# Guardrails: a third for each rule; one that is not known leaves its third open.
rules = measures["guardrails"]
guarded = None if rules.get("guardians") is None else rules["guardians"] >= 2
thirds = [rules.get("is_proposing_gated"), rules.get("has_fixed_period"), guarded]
ends["guardrails"] = (thirds.count(True) / 3, 1 - thirds.count(False) / 3)

WEIGHTS = {"hpr": 0.3, "dei": 0.3, "pdi": 0.2, "gpi": 0.2}
recomputed = {"gvs": {"low": 1, "point": 1, "high": 1}}
for name, weight in WEIGHTS.items():
    indicator_ids = [indicator["id"] for indicator in evidence["components"][name]["indicators"]]
    marks = [ends.get(indicator, (0, 1)) for indicator in indicator_ids]  # what is known nowhere is 0 to 1
    low = 10 * presence["low"] * sum(low for low, _ in marks) / len(marks)
    high = 10 * presence["high"] * sum(high for _, high in marks) / len(marks)
    recomputed[name] = {"low": low, "point": math.sqrt((1 + low) * (1 + high)) - 1, "high": high}
    for end, value in recomputed[name].items():
        recomputed["gvs"][end] *= (1 + value) ** weight
for end in recomputed["gvs"]:
    recomputed["gvs"][end] -= 1

print("And its score:\n\n|score|low|point|high|published point|\n|---|---|---|---|---|")
for name, own in recomputed.items():
    published = evidence["gvs"] if name == "gvs" else evidence["components"][name]
    print(f"|{name}|{own['low']:.6f}|{own['point']:.6f}|{own['high']:.6f}|{published['point']:.6f}|")
    assert all(abs(own[end] - published[end]) <= 1e-9 for end in own), (name, own, published)
listed, = db.execute("SELECT gvs FROM 'daos.json' WHERE space_id = ?", [SPACE]).fetchone() or (None,)
print(f"\nAll {3 * len(recomputed)} numbers equal the evidence to 1e-9. The list of DAOs has {listed}.\n")

# %% [markdown]
# ## 4. How concentrated are delegates?
#
# `all.csv` has every delegate, as of the last complete listing. HHI is the sum of squared percentages: 10,000 for one
# delegate alone, below 1,000 for many. 10,000 / HHI says how many equal delegates would be as concentrated.

# %%
print("## 4. How concentrated are delegates?\n")
if any(VERSION.glob("delegates/*/all.csv")):
    delegates = table("""
        WITH delegate AS (
            SELECT split_part(filename, '/', -2) AS space_id, rank, delegators_count,
                   100 * votes_human / sum(votes_human) OVER (PARTITION BY filename) AS pct
            FROM read_csv('delegates/*/all.csv', filename = true)),
        running AS (SELECT *, sum(pct) OVER (PARTITION BY space_id ORDER BY rank) AS up_to_here FROM delegate)
        SELECT space_id, strftime(any_value(evidence.measures.delegation.as_of), '%Y-%m-%d') AS as_of, count(*) AS delegates,
               max(pct) AS first_pct, sum(pct) FILTER (running.rank <= 10) AS first_ten_pct,
               count(*) FILTER (up_to_here <= 50) + 1 AS hold_more_than_half,
               sum(pct ** 2) AS hhi, 10000 / hhi AS equal_delegates
        FROM running JOIN evidence USING (space_id)
        WHERE evidence.measures.delegation IS NOT NULL GROUP BY space_id ORDER BY hhi DESC""")
    published = dict(db.execute("SELECT space_id, measures.delegation.hhi_points FROM evidence").fetchall())
    assert all(math.isclose(row["hhi"], published[row["space_id"]], rel_tol=1e-9) for row in delegates)
    if delegates:
        first = delegates[0]
        print(f"Most concentrated is **{first['space_id']}**: {first['hold_more_than_half']} of {first['delegates']} "
              "delegates hold more than half. Each HHI equals the published one.")
else:
    print("No list of delegates is published.")
