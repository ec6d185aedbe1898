import { describe, expect, it } from "vitest";
import type { DailyPoint } from "../../../pipeline/facts/days.ts";
import type { Proposal } from "../../../pipeline/facts/proposal.ts";
import { createDaoScoring } from "../../../pipeline/stages/score-dao.ts";
import { dayEndMs } from "../../../snapshots/format/ids.ts";
import { AS_OF, LEAF, makeStands } from "../cli/stand.ts";
import { DAY, sampleDao, sampleProposal, sampleProposalVotes, T } from "../score/sample-facts.ts";
import { daoOf, withOpenHome } from "./visited-version.ts";

const { published } = await makeStands();
const stand = published();

/** Scores the DAO of a stand, of which these points are kept. */
const score = (kept: readonly DailyPoint[], asOfMs = dayEndMs(AS_OF.slice(0, 10))) =>
  withOpenHome(stand, async ({ registry, warehouse }) =>
    createDaoScoring(registry, { ...warehouse, dailyPoints: { read: () => kept } })(
      daoOf(registry, LEAF),
      asOfMs,
    ),
  );

const datesOf = (points: readonly DailyPoint[]) => points.map(({ date }) => date);

describe("createDaoScoring", () => {
  it("scores the days without a kept point, and joins them to the kept points of ended days", async () => {
    const all = await score([]);
    const [first, second] = all.scored.points;
    if (first === undefined || second === undefined) throw new Error("the stand has scores of two days");
    const old = { ...first, date: "2020-05-01" };
    const kept = { ...second, gvs: 1 };
    const { scored, finalPoints, firstDays } = await score([{ ...first, date: "2999-01-01" }, kept, old]);
    expect(scored.points).toEqual([old, first, kept, ...all.scored.points.slice(2)]);
    expect(datesOf(finalPoints)).toEqual(datesOf(all.finalPoints).filter((date) => date !== second.date));
    expect([all.firstDays, firstDays]).toEqual([all.scored.points.length, 0]);
  });

  it.each([
    { why: "boundary: the week is over", lateMs: 0, isFinal: true },
    { why: "a millisecond is missing", lateMs: -1, isFinal: false },
    { why: "high", lateMs: 3 * DAY, isFinal: true },
  ])("keeps the points of days that ended a week before: $why", async ({ lateMs, isFinal }) => {
    const day = (await score([])).scored.points.at(-1)?.date ?? "";
    const { finalPoints } = await score([], dayEndMs(day) + 7 * DAY + lateMs);
    expect(datesOf(finalPoints).includes(day)).toBe(isFinal);
  });

  const names = (count: number) => Array.from({ length: count }, (_, index) => `p${index + 1}`);
  const power = (ends: string) => `ballots do not add up to the declared power: ${ends}`;
  const voters = (ends: string) => `ballots do not have the declared number of voters: ${ends}`;
  const missing = (ends: string) => `proposals have votes of which none was fetched: ${ends}`;

  /** Each of the proposals has two votes of power 1, and declares two. */
  it.each<{ why: string; ids: string[]; change?: Partial<Proposal>; unheld?: string[]; want: string[] }>([
    { why: "nothing if everything adds up", ids: ["p1"], want: [] },
    { why: "other power", ids: ["p1"], change: { scoresTotal: 3 }, want: [`POWER 1 of 1 ${power("p1")}`] },
    {
      why: "another number of voters",
      ids: names(2),
      change: { votesCount: 3 },
      want: [`VOTERS 2 of 2 ${voters("p1, p2")}`],
    },
    {
      why: "twenty names",
      ids: names(20),
      unheld: names(20),
      want: [`MISSING 20 ${missing(names(20).join(", "))}`],
    },
    {
      why: "twenty names, and that there is another",
      ids: names(21),
      unheld: names(21),
      want: [`MISSING 21 ${missing(names(20).join(", "))} and 1 more`],
    },
    {
      why: "all at once, in one order",
      ids: names(3),
      change: { scoresTotal: 3, votesCount: 3 },
      unheld: ["p1"],
      want: [
        `POWER 2 of 2 ${power("p2, p3")}`,
        `VOTERS 2 of 2 ${voters("p2, p3")}`,
        `MISSING 1 ${missing("p1")}`,
      ],
    },
  ])("compares votes with the source's own counts and finds $why", ({ ids, change, unheld = [], want }) => {
    const facts = sampleDao({
      proposals: ids.map((id) => sampleProposal(id, { scoresTotal: 2, votesCount: 2, ...change })),
      held: ids
        .filter((id) => !unheld.includes(id))
        .map((id) => sampleProposalVotes(id, [{ voter: 1 }, { voter: 2 }])),
    });
    const warehouse = { daoFacts: () => facts, dailyPoints: { read: () => [] } };
    const { findings } = createDaoScoring({ daos: [facts.dao], entities: [] }, warehouse)(facts.dao, T);
    const codes = {
      POWER: "POWER_NOT_RECONCILED",
      VOTERS: "VOTERS_NOT_RECONCILED",
      MISSING: "BALLOTS_MISSING",
    };
    expect(findings).toEqual(
      want.map((text) => {
        const [kind = "", ...message] = text.split(" ");
        return {
          code: codes[kind as keyof typeof codes],
          space_id: "sample.eth",
          message: message.join(" "),
        };
      }),
    );
  });
});
