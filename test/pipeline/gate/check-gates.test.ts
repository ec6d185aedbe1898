import { describe, expect, it } from "vitest";
import { isPipelineFailure, type PipelineFailure } from "../../../pipeline/facts/errors.ts";
import { checkDao, checkGates, requirePassed } from "../../../pipeline/gate/check-gates.ts";
import { finding, GATE_OVERRIDES, GATE_RULES, type GateFinding } from "../../../pipeline/gate/gate-rules.ts";
import type { DocumentPart } from "../../../snapshots/format/agreement/disagreement.ts";
import type { HiddenEntity } from "../../../snapshots/format/hidden-entities.ts";
import { ReasonCode } from "../../../snapshots/format/ids.ts";
import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import type { PublishedSet } from "../../../snapshots/format/published-set.ts";
import { partsOf } from "../../support/parts-of.ts";
import { entityIdOf, walletOf } from "../documents/scored-daos.ts";
import {
  findingsOf,
  gateInput,
  previousVersion,
  spoken,
  validSet,
  withDao,
  withListing,
} from "./valid-set.ts";

const LANTERN: HiddenEntity = {
  entityId: entityIdOf("lantern"),
  label: "Lantern Labs",
  wallets: [walletOf(2), walletOf(5)],
};

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

  it("runs every gate, whatever the one before found", () => {
    const set = withDao({ gvs: Number.NaN, rank: 7 });
    const previous = previousVersion({
      daos: validSet().daos,
      votes: 100,
      createdAt: "2026-04-01T06:00:00.000Z",
      completenessOfSpace: new Map(set.details.map((dao) => [dao.space_id, 100])),
    });
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

  it("checks when the latest listing of each DAO was fetched", () => {
    const fetched_at = "2026-04-02T00:00:00.000Z";
    const set = withListing(({ latest }) => ({ latest: { ...latest, fetched_at } }));
    expect(findingsOf("FUTURE_DATA", { set }).map(({ message }) => message)).toEqual([
      expect.stringMatching(/^delegates\/tidewater\/latest\.json was fetched at 2026-04-02/),
    ]);
  });

  it("includes the findings of each DAO, and refuses the lists with them", () => {
    const [first, ...rest] = gateInput({}).daos;
    if (first === undefined) throw new Error("the small world has DAOs");
    const differences = [{ path: "evidence/orchard.json gvs.low", published: 1, recomputed: 2 }];
    const findings = [finding("FRAME_FROM_FUTURE", "0x1 is scored before it ended")];
    const daos = [{ ...first, findings, differences }, ...rest];
    const result = checkGates(gateInput({ daos }));
    expect(result.findings.map(({ code }) => code)).toEqual(["FRAME_FROM_FUTURE", "EVIDENCE_DIFFERS"]);
    expect(result.checked).toBeUndefined();
  });

  it("publishes with a warning, and not if one gate refuses", () => {
    const differences = [{ path: "daos.json 0.gvs", published: 1, recomputed: 2 }];
    expect(checkGates(gateInput({ differences, overrides: ["evidence"] })).checked).toBeDefined();
    expect(checkGates(gateInput({ differences })).checked).toBeUndefined();
  });

  it("has only codes that a run report may contain", () => {
    expect(Object.keys(GATE_RULES).filter((code) => !ReasonCode.safeParse(code).success)).toEqual([]);
  });
});

const set = validSet();

describe("SHAPE_INVALID", () => {
  const shapes = (changed: PublishedSet) =>
    findingsOf("SHAPE_INVALID", { set: changed, overrides: GATE_OVERRIDES });

  it.each<[why: string, set: PublishedSet, place: string]>([
    ["a number of a list", withDao({ gvs: Number.NaN }), "daos.json 0 gvs:"],
    [
      "a number of a DAO",
      { ...set, details: set.details.map((detail) => ({ ...detail, data_completeness: 101 })) },
      "daos/orchard.json data_completeness:",
    ],
    [
      "an entity, by its place and not its id",
      { ...set, entities: set.entities.map((entity) => ({ ...entity, wallets: [] })) },
      "entities[0] wallets:",
    ],
    ["as_of", { ...set, asOf: "2026-03-31" }, "as_of:"],
    ["the method", { ...set, methodologyVersion: "1" }, "methodology_version:"],
  ])("refuses %s, whatever is allowed", (_, broken, place) => {
    const [found] = shapes(broken);
    expect(found).toEqual({ code: "SHAPE_INVALID", severity: "refuse", message: expect.any(String) });
    expect(found?.message.startsWith(place)).toBe(true);
  });

  it("reports all problems, and repeats no content", () => {
    const details = set.details.map((detail) => ({ ...detail, gvs: 11 }));
    const found = shapes({ ...withDao({ gvs: 11, name: "Secret\u200BName" }), details });
    expect(found.map(({ message }) => message.split(":")[0])).toEqual([
      "daos.json 0 name",
      "daos.json 0 gvs",
      "daos/orchard.json gvs",
      "daos/tidewater.json gvs",
    ]);
    expect(JSON.stringify(found)).not.toContain("Secret");
  });
});

describe("EVIDENCE_DIFFERS", () => {
  const differences = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      path: `daos.json ${index}.gvs`,
      published: 5.1,
      recomputed: index === 1 ? undefined : 5.2,
    }));

  it.each([
    { why: "everything follows", count: 0, want: 0 },
    { why: "a few differ, all named", count: 5, want: 5 },
    { why: "many differ, the rest counted", count: 300, want: 6 },
  ])("$why", ({ count, want }) => {
    expect(findingsOf("EVIDENCE_DIFFERS", { differences: differences(count) })).toHaveLength(want);
  });

  it("names the numbers, what they are, and what their evidence gives", () => {
    const found = spoken(
      findingsOf("EVIDENCE_DIFFERS", { differences: differences(7), overrides: ["evidence"] }),
    );
    expect(found).toHaveLength(6);
    expect(found).toEqual(
      expect.arrayContaining([
        "warn EVIDENCE_DIFFERS daos.json 0.gvs: is 5.1, but its evidence gives 5.2",
        "warn EVIDENCE_DIFFERS daos.json 1.gvs: is 5.1, but its evidence gives nothing",
        "warn EVIDENCE_DIFFERS 2 more numbers do not follow from their evidence",
      ]),
    );
  });
});

const FELL = finding("VOTES_FELL", "orchard: 799 votes are stored, 1000 before", {
  compared: { was: "1000", is: "799", limit: "at least 800" },
});
const BROKEN = finding("SHAPE_INVALID", "daos.json 0 gvs: too big");
const FUTURE = finding("FUTURE_DATA", "as_of is ahead", { compared: { is: "b", limit: "not after a" } });

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

  it("names the gates, the compared values, and the options that allow them", () => {
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

  it("names no option if a refusal cannot be allowed", () => {
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

describe("checkDao", () => {
  /** The documents of `tidewater`. */
  const part =
    partsOf(set).find(({ spaceId }) => spaceId === "tidewater") ??
    expect.fail("the small world has that DAO");
  /** Of a line only place and end matter here. */
  const unended = { id: "0x1", place: "MEMBER", end_at: null } as ProposalLine;
  const inDetail = (change: object): Partial<DocumentPart> => ({
    details: part.details.map((detail) => ({ ...detail, ...change })),
  });

  it.each<[why: string, change: Partial<DocumentPart>, optedOut: HiddenEntity[], want: string[]]>([
    ["an invalid number", inDetail({ data_completeness: 101 }), [], ["SHAPE_INVALID"]],
    ["a number that the list has otherwise", inDetail({ gvs: 1 }), [], ["PARTS_DISAGREE"]],
    ["the name of one that opted out", {}, [LANTERN], ["OPTED_OUT_NAMED"]],
    [
      "all of them",
      {
        ...inDetail({ gvs: 11 }),
        evidence: part.evidence.map(({ evidence }) => ({ evidence, proposals: [unended] })),
      },
      [LANTERN],
      ["SHAPE_INVALID", "PARTS_DISAGREE", "OPTED_OUT_NAMED", "FRAME_FROM_FUTURE"],
    ],
  ])("gives nothing to be written of a DAO with %s", (_, change, optedOut, want) => {
    const { gated, checked } = checkDao({ ...part, ...change }, optedOut, []);
    expect([...new Set(gated.findings.map(({ code }) => code))]).toEqual(want);
    expect(checked).toBeUndefined();
  });

  it("gives the documents of a valid DAO by path, and what the gates of the whole version need of it", () => {
    const differences = [{ path: "evidence/tidewater.json gvs.low", published: 1, recomputed: 2 }];
    const { gated, checked } = checkDao(part, [], differences);
    expect(gated).toMatchObject({
      digest: {
        spaceId: "tidewater",
        hasDetail: true,
        hasEvidence: true,
        topEntities: part.details[0]?.top_entities,
      },
      findings: [],
      differences,
      completeness: part.details[0]?.data_completeness,
      fetchedAt: part.listings[0]?.latest.fetched_at,
    });
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
});
