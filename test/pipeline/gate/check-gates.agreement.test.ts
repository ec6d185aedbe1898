import { describe, expect, it } from "vitest";
import { checkDao } from "../../../pipeline/gate/check-dao.ts";
import type { PublishedPart } from "../../../snapshots/format/agreement/check-shapes.ts";
import type { HiddenEntity } from "../../../snapshots/format/hidden-entities.ts";
import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import type { PublishedSet } from "../../../snapshots/format/published-set.ts";
import { partsOf } from "../../support/parts-of.ts";
import { entityIdOf, walletOf } from "../documents/scored-daos.ts";
import { findingsOf, validSet, withDao, withListing } from "./valid-set.ts";

const set = validSet();

const checkAgreement = (changed: PublishedSet) => findingsOf("PARTS_DISAGREE", { set: changed });

describe("PARTS_DISAGREE", () => {
  it.each<{ why: string; set: PublishedSet }>([
    { why: "a valid set", set },
    {
      why: "nothing at all",
      set: { ...set, daos: [], rankings: [], details: [], risks: [], listings: [], evidence: [] },
    },
  ])("lets pass $why", ({ set: passed }) => {
    expect(checkAgreement(passed)).toEqual([]);
  });

  it.each<{ why: string; set: PublishedSet; message: RegExp }>([
    { why: "a hole in the ranks", set: withDao({ rank: 3 }, 1), message: /daos.json: ranks are not 1 to n/ },
    {
      why: "a row missing in the whole list",
      set: withListing((listing) => ({ ...listing, all: listing.all.slice(1) })),
      message: /all.csv: ranks are not 1 to n/,
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
