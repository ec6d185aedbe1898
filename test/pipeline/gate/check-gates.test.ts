import { describe, expect, it } from "vitest";
import { isPipelineFailure, type PipelineFailure } from "../../../pipeline/facts/errors.ts";
import { checkDao } from "../../../pipeline/gate/check-dao.ts";
import { checkGates, requirePassed } from "../../../pipeline/gate/check-gates.ts";
import {
  finding,
  GATE_OVERRIDES,
  GATE_RULES,
  type GateFinding,
  type GateOverride,
} from "../../../pipeline/gate/gate-rules.ts";
import type { DocumentPart } from "../../../snapshots/format/agreement/disagreement.ts";
import type { HiddenEntity } from "../../../snapshots/format/hidden-entities.ts";
import { ReasonCode } from "../../../snapshots/format/ids.ts";
import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import type { PublishedSet } from "../../../snapshots/format/published-set.ts";
import { partsOf } from "../../support/parts-of.ts";
import { entityIdOf, walletOf } from "../documents/scored-daos.ts";
import { findingsOf, gateInput, spoken, validSet, withDao, withListing } from "./valid-set.ts";

const LANTERN = { entityId: entityIdOf("lantern"), label: "Lantern Labs", wallets: [walletOf(2)] };

describe("checkGates", () => {
  it("finds nothing in a first, valid version", () => {
    const { findings, checked } = checkGates(gateInput({}));
    expect(findings).toEqual([]);
    expect(checked?.map(({ path }) => path)).toEqual([
      "daos.json",
      `entities/${entityIdOf("lantern")}.json`,
      "rankings.json",
      "unscored.json",
    ]);
  });

  it("looks through every gate, whatever the one before found", () => {
    const set = withDao({ gvs: Number.NaN, rank: 7 });
    const previous = {
      asOf: set.asOf,
      methodologyVersion: set.methodologyVersion,
      daos: validSet().daos,
      votes: 100,
      votesOfSpace: new Map(),
      createdAt: "2026-04-01T06:00:00.000Z",
      completenessOfSpace: new Map(set.details.map((dao) => [dao.space_id, 100])),
      rows: [],
    };
    const input = {
      set: { ...set, details: set.details.map((dao) => ({ ...dao, data_completeness: 60 })) },
      previous,
      optedOut: [LANTERN],
      previousOptOuts: 9,
      rows: [{ spaceId: "tidewater", taken: 10, rejected: 100 }],
      differences: [{ path: "daos.json 0.gvs", published: 1, recomputed: 2 }],
      fetchTimes: [{ what: "archive", fetchedAt: "2026-04-02T00:00:00.000Z" }],
    };
    const { findings, checked } = checkGates(gateInput(input));
    expect(checked).toBeUndefined();
    expect([...new Set(findings.map(({ code }) => code))]).toEqual([
      "SHAPE_INVALID",
      "PARTS_DISAGREE",
      "OPTED_OUT_NAMED",
      "EVIDENCE_DIFFERS",
      "CLOCK_WENT_BACK",
      "FUTURE_DATA",
      "REJECTED_ROWS_ROSE",
      "VOTES_FELL",
      "SCORE_JUMPED",
      "COMPLETENESS_FELL",
      "OPT_OUTS_FELL",
    ]);
  });

  it("looks when the latest listing of each DAO was fetched", () => {
    const fetched_at = "2026-04-02T00:00:00.000Z";
    const set = withListing((listing) => ({ ...listing, latest: { ...listing.latest, fetched_at } }));
    expect(findingsOf("FUTURE_DATA", { set }).map(({ message }) => message)).toEqual([
      expect.stringMatching(/^delegates\/tidewater\/latest\.json was fetched at 2026-04-02/),
    ]);
  });

  it("gathers what was found in the documents of each DAO, and refuses the lists with them", () => {
    const [first, ...rest] = gateInput({}).daos;
    if (first === undefined) throw new Error("the small world has DAOs");
    const differences = [{ path: "evidence/orchard.json gvs.low", published: 1, recomputed: 2 }];
    const findings = [finding("FRAME_FROM_FUTURE", "0x1 is scored before it ended")];
    const daos = [{ ...first, findings, differences }, ...rest];
    const result = checkGates(gateInput({ daos }));
    expect(result.findings.map(({ code }) => code)).toEqual(["FRAME_FROM_FUTURE", "EVIDENCE_DIFFERS"]);
    expect(result.checked).toBeUndefined();
  });

  it.each(GATE_OVERRIDES)("lets nobody override a shape with %s", (name) => {
    const [shapeFinding] = findingsOf("SHAPE_INVALID", { set: withDao({ gvs: 11 }), overrides: [name] });
    expect(shapeFinding?.severity).toBe("refuse");
  });

  it("gives what a warning lets pass, and nothing where one gate of many refuses", () => {
    const differences = [{ path: "daos.json 0.gvs", published: 1, recomputed: 2 }];
    expect(checkGates(gateInput({ differences, overrides: ["evidence"] })).checked).toBeDefined();
    expect(checkGates(gateInput({ differences })).checked).toBeUndefined();
  });

  it.each(Object.keys(GATE_RULES))("%s may stand in a run report", (code) => {
    expect(ReasonCode.safeParse(code).success).toBe(true);
  });
});

const set = validSet();

const checkShapes = (changed: PublishedSet) => findingsOf("SHAPE_INVALID", { set: changed });

/** A value that only a fault of ours, against the types, could bring. */
const impossible = <Value>(value: unknown): Value => value as Value;

describe("SHAPE_INVALID", () => {
  it("finds nothing in a valid set", () => {
    expect(checkShapes(set)).toEqual([]);
  });

  it.each<{ why: string; set: PublishedSet; place: string }>([
    { why: "NaN", set: withDao({ gvs: Number.NaN }), place: "daos.json 0 gvs:" },
    { why: "-0", set: withDao({ delta_24h: -0 }), place: "daos.json 0 delta_24h:" },
    { why: "below the range", set: withDao({ gvs: -0.01 }), place: "daos.json 0 gvs:" },
    { why: "null for a number", set: withDao({ gvs: impossible(null) }), place: "daos.json 0 gvs:" },
    { why: "a rank of 0", set: withDao({ rank: 0 }), place: "daos.json 0 rank:" },
    { why: "a field too many", set: withDao(impossible({ note: "x" })), place: "daos.json 0:" },
    {
      why: "votes without end",
      set: withListing((listing) => ({
        ...listing,
        all: listing.all.map((row) => ({ ...row, votes_human: Infinity })),
      })),
      place: "delegates/tidewater/all.csv 0 votes_human:",
    },
    {
      why: "a dated listing",
      set: withListing((listing) => ({
        ...listing,
        dated: listing.dated.map((day) => ({ ...day, listing: { ...day.listing, total_delegates: -1 } })),
      })),
      place: "delegates/tidewater/2026-03.ndjson 0 total_delegates:",
    },
    {
      why: "an entity stands under its place, not its id",
      set: { ...set, entities: set.entities.map((entity) => ({ ...entity, wallets: [] })) },
      place: "entities[0] wallets:",
    },
    { why: "as_of that is no moment", set: { ...set, asOf: "2026-03-31" }, place: "as_of:" },
    {
      why: "a method without version",
      set: { ...set, methodologyVersion: "1" },
      place: "methodology_version:",
    },
  ])("refuses $why", ({ set: broken, place }) => {
    const findings = checkShapes(broken);
    expect(spoken(findings)[0]).toMatch(/^refuse SHAPE_INVALID /);
    expect(findings[0]?.message.startsWith(place)).toBe(true);
    expect(findings[0]).not.toHaveProperty("override");
  });

  it("answers all problems, not the first", () => {
    const details = set.details.map((detail) => ({ ...detail, gvs: 11, data_completeness: 101 }));
    expect(
      checkShapes({ ...withDao({ gvs: 11 }), details }).map(({ message }) => message.split(":")[0]),
    ).toEqual([
      "daos.json 0 gvs",
      "daos/orchard.json gvs",
      "daos/orchard.json data_completeness",
      "daos/tidewater.json gvs",
      "daos/tidewater.json data_completeness",
    ]);
  });

  it("repeats no content in its messages", () => {
    const name = "Secret\u200BName";
    expect(JSON.stringify(checkShapes(withDao({ name })))).not.toContain("Secret");
  });
});

const checkDerivation = (count: number, overrides: readonly GateOverride[] = []) =>
  findingsOf("EVIDENCE_DIFFERS", { differences: differences(count), overrides });

const differences = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    path: `daos.json ${index}.gvs`,
    published: 5.1,
    recomputed: index === 1 ? undefined : 5.2,
  }));

describe("EVIDENCE_DIFFERS", () => {
  it.each([
    { why: "everything follows", count: 0, want: 0 },
    { why: "a few differ, all named", count: 5, want: 5 },
    { why: "many differ, the rest counted", count: 300, want: 6 },
  ])("$why", ({ count, want }) => {
    expect(checkDerivation(count)).toHaveLength(want);
  });

  it("says which number, what it is, and what its evidence gives", () => {
    const findings = checkDerivation(7, ["evidence"]);
    expect(findings.map(({ severity }) => severity)).toEqual(Array(6).fill("warn"));
    expect(findings.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        "daos.json 0.gvs: is 5.1, but its evidence gives 5.2",
        "daos.json 1.gvs: is 5.1, but its evidence gives nothing",
        "2 more numbers do not follow from their evidence",
      ]),
    );
  });
});

const FELL: GateFinding = {
  code: "VOTES_FELL",
  severity: "refuse",
  override: "votes",
  message: "orchard: 799 votes are stored, 1000 before",
  compared: { was: "1000", is: "799", limit: "at least 800" },
};

const BROKEN: GateFinding = {
  code: "SHAPE_INVALID",
  severity: "refuse",
  message: "daos.json 0 gvs: too big",
};

const FUTURE: GateFinding = {
  code: "FUTURE_DATA",
  severity: "refuse",
  override: "future-data",
  message: "as_of is ahead",
  compared: { is: "b", limit: "not after a" },
};

function refusal(findings: readonly GateFinding[]): PipelineFailure {
  try {
    requirePassed({ findings, checked: undefined });
  } catch (error) {
    if (isPipelineFailure(error)) return error;
  }
  throw new Error("nothing was refused");
}

describe("requirePassed", () => {
  it("lets warnings pass", () => {
    const { checked } = checkGates(gateInput({}));
    expect(checked).toBeDefined();
    expect(requirePassed({ findings: [{ ...FELL, severity: "warn" }], checked })).toBe(checked);
  });

  it("says what, was, is, limit, and how to go on", () => {
    const { code, message, hint, data } = refusal([FELL, FELL, { ...FUTURE, severity: "warn" }, FUTURE]);
    expect([code, data?.gates]).toEqual(["GATE_REFUSED", ["VOTES_FELL", "FUTURE_DATA"]]);
    expect(message.split("\n")).toEqual([
      "a gate refused this version:",
      ...Array(2).fill(
        "  VOTES_FELL: orchard: 799 votes are stored, 1000 before (was 1000; is 799; allowed: at least 800)",
      ),
      "  FUTURE_DATA: as_of is ahead (is b; allowed: not after a)",
    ]);
    expect(hint).toBe("Nothing was published. If this is right: --allow votes --allow future-data");
  });

  it("names no way past where there is none", () => {
    const { message, hint } = refusal([FELL, BROKEN]);
    expect(message).toContain("  SHAPE_INVALID: daos.json 0 gvs: too big (cannot be allowed)");
    expect(hint).not.toContain("--allow");
  });

  it("stays readable when hundreds are refused", () => {
    const lines = refusal([...Array<GateFinding>(300).fill(BROKEN), FELL]).message.split("\n");
    expect(lines).toHaveLength(13);
    expect(lines[11]).toBe("  SHAPE_INVALID: 290 more");
  });
});

describe("agreement", () => {
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
      {
        why: "a hole in the ranks",
        set: withDao({ rank: 3 }, 1),
        message: /daos.json: ranks are not 1 to n/,
      },
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
  const part = ((): DocumentPart => {
    const part = partsOf(validSet()).find(({ spaceId }) => spaceId === "tidewater");
    if (part === undefined) throw new Error("the small world has that DAO");
    return part;
  })();

  /** Of a line only place and end matter here. */
  const UNENDED = { id: "0x1", place: "MEMBER", end_at: null } as ProposalLine;

  const check = (change: Partial<DocumentPart>, optedOut: readonly HiddenEntity[] = []) => {
    const { gated, checked } = checkDao({ ...part, ...change }, optedOut, []);
    return { codes: [...new Set(gated.findings.map(({ code }) => code))], checked };
  };

  const inDetail = (change: object): Partial<DocumentPart> => ({
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

    it.each<{ why: string; change: Partial<DocumentPart>; optedOut?: HiddenEntity[]; want: string[] }>([
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
});
