import { describe, expect, it } from "vitest";
import { checkDao } from "../../../pipeline/gate/check-dao.ts";
import type { PublishedPart } from "../../../snapshots/format/agreement/check-shapes.ts";
import type { DelegateListing } from "../../../snapshots/format/delegates.ts";
import type { HiddenEntity } from "../../../snapshots/format/hidden-entities.ts";
import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import type { PublishedSet } from "../../../snapshots/format/published-set.ts";
import { partsOf } from "../../support/parts-of.ts";
import { entityIdOf, walletOf } from "../documents/scored-daos.ts";
import { findingsOf, validSet, withDao, withListing } from "./valid-set.ts";

const set = validSet();

const checkAgreement = (changed: PublishedSet) => findingsOf("PARTS_DISAGREE", { set: changed });

const withDetail = (rankings: (typeof set.details)[number]["rankings"]): PublishedSet => ({
  ...set,
  details: set.details.map((detail) => (detail.space_id === "orchard" ? { ...detail, rankings } : detail)),
});

const withLatest = (change: Partial<DelegateListing>): PublishedSet =>
  withListing((listing) => ({ ...listing, latest: { ...listing.latest, ...change } }));

const tiers = (t1: number, t2: number, t3: number): PublishedSet =>
  withListing((listing) => ({
    ...listing,
    latest: {
      ...listing.latest,
      summary: {
        ...listing.latest.summary,
        t1_voting_power_pct: t1,
        t2_voting_power_pct: t2,
        t3_voting_power_pct: t3,
      },
    },
  }));

const rowsOf = (change: (rows: DelegateListing["delegates"]) => DelegateListing["delegates"]): PublishedSet =>
  withListing((listing) => ({
    ...listing,
    latest: { ...listing.latest, delegates: change(listing.latest.delegates) },
  }));

const OVERALL = { rank: 2, total: 2 };
const CATEGORY = { rank: 1, category: "public_goods", total: 1 } as const;

describe("PARTS_DISAGREE", () => {
  it.each<{ why: string; set: PublishedSet }>([
    { why: "a valid set", set },
    {
      why: "nothing at all",
      set: { ...set, daos: [], rankings: [], details: [], risks: [], listings: [], evidence: [] },
    },
    {
      why: "two DAOs of the same gvs",
      set: {
        ...withDao({ gvs: 7.25 }, 1),
        details: set.details.map((detail) => ({ ...detail, gvs: 7.25 })),
        evidence: [],
      },
    },
    { why: "tiers that miss 100 by rounding, low", set: tiers(33.33, 33.33, 33.33) },
    { why: "tiers that miss 100 by as much as rounding can", set: tiers(33.33, 33.33, 33.325) },
    { why: "tiers that miss 100 by rounding, high", set: tiers(50, 25, 25.01) },
    {
      why: "rows that are equal in votes",
      set: rowsOf((rows) => rows.map((row) => ({ ...row, votes_human: 1, votes_share_pct: 1 }))),
    },
  ])("lets pass $why", ({ set: passed }) => {
    expect(checkAgreement(passed)).toEqual([]);
  });

  it.each<{ why: string; set: PublishedSet; message: RegExp }>([
    { why: "a hole in the ranks", set: withDao({ rank: 3 }, 1), message: /daos.json: ranks are not 1 to n/ },
    { why: "a shared rank", set: withDao({ rank: 1 }, 1), message: /daos.json: ranks are not 1 to n/ },
    {
      why: "a list that is not in order",
      set: { ...set, daos: [...set.daos].reverse() },
      message: /ranks are not 1 to n/,
    },
    {
      why: "a better rank for less",
      set: withDao({ gvs: 7.26 }, 1),
      message: /DAOs are not ranked by gvs/,
    },
    { why: "a DAO listed twice", set: withDao({ space_id: "tidewater" }, 1), message: /names a DAO twice/ },
    {
      why: "a detail missing",
      set: { ...set, details: set.details.slice(1) },
      message: /is listed without its detail/,
    },
    {
      why: "another overall rank",
      set: withDetail({ overall: { rank: 1, total: 2 }, category: CATEGORY }),
      message: /orchard.json: rankings.overall/,
    },
    {
      why: "another overall total",
      set: withDetail({ overall: { rank: 2, total: 4 }, category: CATEGORY }),
      message: /orchard.json: rankings.overall/,
    },
    {
      why: "another category rank",
      set: withDetail({ overall: OVERALL, category: { ...CATEGORY, rank: 2 } }),
      message: /orchard.json: rankings.category/,
    },
    {
      why: "another category total",
      set: withDetail({ overall: OVERALL, category: { ...CATEGORY, total: 2 } }),
      message: /orchard.json: rankings.category/,
    },
    {
      why: "another category",
      set: withDetail({ overall: OVERALL, category: { ...CATEGORY, category: "social" } }),
      message: /orchard.json: rankings.category/,
    },
    {
      why: "a risk of a DAO that is not listed",
      set: { ...set, risks: set.risks.map((risk) => ({ ...risk, space_id: "ghost-ship" })) },
      message: /risk\/ghost-ship.json: is of a DAO that is not listed/,
    },
    {
      why: "a DAO with and without a score",
      set: { ...set, unscored: set.unscored.map((dao) => ({ ...dao, space_id: "orchard" })) },
      message: /is listed with a score/,
    },
    {
      why: "more members of the index than DAOs",
      set: {
        ...set,
        dgi: {
          composite: 1,
          components: { hpr: 1, dei: 1, pdi: 1, gpi: 1 },
          dao_count: 3,
          calculated_at: set.asOf,
        },
      },
      message: /dgi.json: dao_count exceeds/,
    },
    {
      why: "tiers that miss 100, low",
      set: tiers(33.33, 33.33, 33.32),
      message: /latest.json: .* add up to 100 %/,
    },
    { why: "tiers that miss 100, high", set: tiers(50, 25, 25.02), message: /add up to 100 %/ },
    { why: "tiers of nothing", set: tiers(0, 0, 0), message: /add up to 100 %/ },
    {
      why: "power of nobody",
      set: withLatest({ total_delegates: 0, delegates: [] }),
      message: /add up to 100 %/,
    },
    { why: "the listing of another", set: withLatest({ dao: "orchard" }), message: /of another DAO/ },
    {
      why: "rows in another order",
      set: rowsOf((rows) => [...rows].reverse()),
      message: /ranks are not ascending/,
    },
    {
      why: "a row twice",
      set: rowsOf((rows) => rows.flatMap((row) => [row, row])),
      message: /ranks are not ascending/,
    },
    {
      why: "a rank past the last",
      set: withLatest({ total_delegates: 2 }),
      message: /exceeds total_delegates/,
    },
    {
      why: "shares that rise",
      set: rowsOf((rows) => rows.map((row) => ({ ...row, votes_share_pct: row.rank }))),
      message: /delegates are not ranked by votes/,
    },
    {
      why: "votes that rise",
      set: rowsOf((rows) => rows.map((row) => ({ ...row, votes_human: row.rank }))),
      message: /delegates are not ranked by votes/,
    },
    {
      why: "a row missing in the whole list",
      set: withListing((listing) => ({ ...listing, all: listing.all.slice(1) })),
      message: /all.csv: ranks are not 1 to n/,
    },
    {
      why: "a dated listing",
      set: withListing((listing) => ({
        ...listing,
        dated: listing.dated.map((day) => ({ ...day, listing: { ...day.listing, dao: "orchard" } })),
      })),
      message: /delegates\/tidewater\/2026-03.ndjson: the line of 2026-03-30 is the listing of another DAO/,
    },
  ])("refuses $why", ({ set: broken, message }) => {
    const findings = checkAgreement(broken);
    expect(findings.map((finding) => finding.message)).toContainEqual(expect.stringMatching(message));
    expect(new Set(findings.map(({ code, severity }) => `${severity} ${code}`))).toEqual(
      new Set(["refuse PARTS_DISAGREE"]),
    );
  });
});

const LANTERN: HiddenEntity = {
  entityId: entityIdOf("lantern"),
  label: "Lantern Labs",
  wallets: [walletOf(2), walletOf(5)],
};

/** The documents of `tidewater`. */
const part = ((): PublishedPart => {
  const part = partsOf(validSet()).find(({ spaceId }) => spaceId === "tidewater");
  if (part === undefined) throw new Error("the small world has that DAO");
  return part;
})();

/** Of a line only place and end matter here. */
const UNENDED = { id: "0x1", place: "MEMBER", end_at: null } as ProposalLine;

const check = (change: Partial<PublishedPart>, optedOut: readonly HiddenEntity[] = []) => {
  const { gated, checked } = checkDao({ ...part, ...change }, optedOut, []);
  return { codes: [...new Set(gated.findings.map(({ code }) => code))], checked };
};

const inDetail = (change: object): Partial<PublishedPart> => ({
  details: part.details.map((detail) => ({ ...detail, ...change })),
});

describe("checkDao", () => {
  it("gives the documents of a DAO that nothing is wrong with, by path", () => {
    const { codes, checked } = check({});
    expect(codes).toEqual([]);
    expect(checked?.map(({ path }) => path)).toEqual([
      "daos/tidewater.json",
      "delegates/tidewater/2026-03.ndjson",
      "delegates/tidewater/all.csv",
      "delegates/tidewater/days.csv",
      "delegates/tidewater/latest.json",
      "evidence/tidewater.json",
      "history/tidewater.json",
      "proposals/tidewater.ndjson",
      "risk/tidewater.json",
    ]);
  });

  it.each<{ why: string; change: Partial<PublishedPart>; optedOut?: HiddenEntity[]; want: string[] }>([
    {
      why: "a number without its shape",
      change: inDetail({ data_completeness: 101 }),
      want: ["SHAPE_INVALID"],
    },
    { why: "a number that the list has otherwise", change: inDetail({ gvs: 1 }), want: ["PARTS_DISAGREE"] },
    {
      why: "both, and a name, all told",
      change: inDetail({ gvs: 11 }),
      optedOut: [LANTERN],
      want: ["SHAPE_INVALID", "PARTS_DISAGREE", "OPTED_OUT_NAMED"],
    },
    { why: "the name of one that opted out", change: {}, optedOut: [LANTERN], want: ["OPTED_OUT_NAMED"] },
    {
      why: "a line that is scored before it ended, whatever else it is",
      change: { evidence: part.evidence.map(({ evidence }) => ({ evidence, proposals: [UNENDED] })) },
      want: ["SHAPE_INVALID", "PARTS_DISAGREE", "FRAME_FROM_FUTURE"],
    },
  ])("gives nothing to be written of a DAO with $why", ({ change, optedOut, want }) => {
    expect(check(change, optedOut)).toEqual({ codes: want, checked: undefined });
  });

  it("hands on what the gates of the whole version ask of a DAO", () => {
    const differences = [{ path: "evidence/tidewater.json gvs.low", published: 1, recomputed: 2 }];
    const { gated, checked } = checkDao(part, [], differences);
    expect(gated).toMatchObject({
      digest: {
        spaceId: "tidewater",
        hasDetail: true,
        hasEvidence: true,
        topEntities: part.details[0]?.top_entities,
      },
      differences,
      completeness: part.details[0]?.data_completeness,
      fetchedAt: part.listings[0]?.latest.fetched_at,
    });
    expect(checked, "whoever looked may let differences pass").toBeDefined();
  });
});
