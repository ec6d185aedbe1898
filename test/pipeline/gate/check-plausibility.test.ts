import { describe, expect, it } from "vitest";
import { checkPlausibility } from "../../../pipeline/gate/check-plausibility.ts";
import { applyOverrides, GATE_OVERRIDES, type GateOverride } from "../../../pipeline/gate/gate-rules.ts";
import type { DaoDetail, DaoSummary } from "../../../snapshots/format/dao.ts";
import { timestampOf } from "../../../snapshots/format/ids.ts";
import { AS_OF_MS, DAY_MS } from "../documents/scored-daos.ts";
import { gateInput, spoken, validSet } from "./valid-set.ts";

const set = validSet();

/** So many DAOs of gvs 5. */
const daosOf = (count: number, gvs = 5): DaoSummary[] =>
  set.daos.slice(0, 1).flatMap((dao) =>
    Array.from({ length: count }, (_, index) => ({
      ...dao,
      space_id: `dao-${index}`,
      rank: index + 1,
      gvs,
    })),
  );

type PlausibilityInput = Parameters<typeof checkPlausibility>[0];

interface Case {
  readonly daos?: readonly [before: DaoSummary[], now: DaoSummary[]];
  readonly votes?: readonly [before: number, now: number];
  readonly votesOfSpace?: readonly [before: Record<string, number>, now: Record<string, number>];
  readonly optOuts?: readonly [before: number | undefined, now: number];
  /** Days from the previous version to this one. */
  readonly days?: number;
  readonly method?: string;
}

function inputOf({ daos, votes, votesOfSpace, optOuts, days = 1, method }: Case): PlausibilityInput {
  const [daosBefore, daosNow] = daos ?? [daosOf(5), daosOf(5)];
  const [votesBefore, votesNow] = votes ?? [1000, 1000];
  const [optOutsBefore, optOutsNow] = optOuts ?? [0, 0];
  return {
    lists: { ...set, daos: daosNow },
    daos: [],
    votes: votesNow,
    votesOfSpace: new Map(Object.entries(votesOfSpace?.[1] ?? {})),
    optOuts: optOutsNow,
    previousOptOuts: optOutsBefore,
    neverFetched: [],
    previous: {
      asOf: timestampOf(AS_OF_MS - days * DAY_MS),
      methodologyVersion: method ?? set.methodologyVersion,
      daos: daosBefore,
      votes: votesBefore,
      votesOfSpace: new Map(Object.entries(votesOfSpace?.[0] ?? {})),
      createdAt: timestampOf(AS_OF_MS - days * DAY_MS),
      completenessOfSpace: new Map(),
      rows: [],
    },
  };
}

const codesOf = (options: Case) =>
  checkPlausibility(inputOf(options)).map(({ severity, code }) => `${severity} ${code}`);

describe("a damaged current version", () => {
  const damaged: PlausibilityInput = { ...inputOf({}), previous: { damage: "daos.json: wrong hash" } };
  it.each<{ why: string; overrides: GateOverride[]; want: string }>([
    { why: "nobody has looked", overrides: [], want: "refuse PREVIOUS_DAMAGED" },
    { why: "another refusal was looked at", overrides: ["votes"], want: "refuse PREVIOUS_DAMAGED" },
    { why: "somebody has looked", overrides: ["previous"], want: "warn PREVIOUS_DAMAGED" },
  ])("$why: $want", ({ overrides, want }) => {
    const findings = applyOverrides(checkPlausibility(damaged), overrides);
    expect(findings.map(({ severity, code }) => `${severity} ${code}`)).toEqual([want]);
    expect(findings[0]?.message).toContain("daos.json: wrong hash");
  });
});

describe("checkPlausibility", () => {
  it.each<{ why: string; options: Case; want: string[] }>([
    { why: "nothing changed", options: {}, want: [] },
    {
      why: "everything grew",
      options: { daos: [daosOf(1), daosOf(9)], votes: [0, 9], optOuts: [0, 9] },
      want: [],
    },
    {
      why: "nothing was there, nothing is",
      options: { daos: [[], []], votes: [0, 0], optOuts: [0, 0] },
      want: [],
    },

    { why: "a fifth of the DAOs is gone", options: { daos: [daosOf(5), daosOf(4)] }, want: [] },
    {
      why: "more than a fifth of the DAOs is gone",
      options: { daos: [daosOf(9), daosOf(7)] },
      want: ["refuse DAO_COUNT_FELL"],
    },
    {
      why: "one of two DAOs is gone",
      options: { daos: [daosOf(2), daosOf(1)] },
      want: ["refuse DAO_COUNT_FELL"],
    },
    { why: "all DAOs are gone", options: { daos: [daosOf(1), []] }, want: ["refuse DAO_COUNT_FELL"] },

    { why: "a fifth of the votes is gone", options: { votes: [1000, 800] }, want: [] },
    { why: "one vote more is gone", options: { votes: [1000, 799] }, want: ["refuse VOTES_FELL"] },
    {
      why: "one DAO lost more than a fifth, in a file cut at the end of a row",
      options: {
        votesOfSpace: [
          { a: 1000, b: 10 },
          { a: 799, b: 10 },
        ],
      },
      want: ["refuse VOTES_FELL"],
    },
    {
      why: "one DAO lost exactly a fifth",
      options: { votesOfSpace: [{ a: 1000 }, { a: 800 }] },
      want: [],
    },
    { why: "one DAO is not tracked any more", options: { votesOfSpace: [{ a: 1000 }, {}] }, want: [] },
    { why: "all votes are gone", options: { votes: [1, 0] }, want: ["refuse VOTES_FELL"] },
    {
      why: "votes do not depend on as_of",
      options: { votes: [10, 1], days: 900 },
      want: ["warn AS_OF_FAR", "refuse VOTES_FELL"],
    },

    { why: "a score moves by 2", options: { daos: [daosOf(1, 2.4), daosOf(1, 4.4)] }, want: [] },
    {
      why: "a score rises by more than 2",
      options: { daos: [daosOf(1, 5.3), daosOf(1, 7.31)] },
      want: ["refuse SCORE_JUMPED"],
    },
    {
      why: "a score falls by more than 2",
      options: { daos: [daosOf(1, 10), daosOf(1, 0)] },
      want: ["refuse SCORE_JUMPED"],
    },
    {
      why: "each DAO that jumps is named",
      options: { daos: [daosOf(2, 1), daosOf(2, 9)] },
      want: ["refuse SCORE_JUMPED", "refuse SCORE_JUMPED"],
    },
    { why: "a new DAO does not jump", options: { daos: [[], daosOf(1, 9)] }, want: [] },

    {
      why: "seven days later is near",
      options: { daos: [daosOf(2, 1), daosOf(1, 9)], days: 7 },
      want: ["refuse DAO_COUNT_FELL", "refuse SCORE_JUMPED"],
    },
    {
      why: "more than seven days later is far",
      options: { daos: [daosOf(2, 1), daosOf(1, 9)], days: 7 + 1 / DAY_MS },
      want: ["warn AS_OF_FAR", "warn DAO_COUNT_FELL"],
    },
    {
      why: "however far, an empty ranking after one that was not",
      options: { daos: [daosOf(1), []], days: 30 },
      want: ["warn AS_OF_FAR", "refuse DAO_COUNT_FELL"],
    },
    {
      why: "the same moment is near",
      options: { daos: [daosOf(1, 1), daosOf(1, 9)], days: 0 },
      want: ["refuse SCORE_JUMPED"],
    },
    {
      why: "a millisecond earlier is earlier",
      options: { daos: [daosOf(2, 1), daosOf(1, 9)], days: -1 / DAY_MS },
      want: ["warn AS_OF_EARLIER", "warn DAO_COUNT_FELL"],
    },
    {
      why: "years earlier only warns",
      options: { daos: [daosOf(1, 1), daosOf(1, 9)], days: -900 },
      want: ["warn AS_OF_EARLIER"],
    },
    {
      why: "another method has other scores",
      options: { daos: [daosOf(1, 1), daosOf(1, 9)], method: "0.9.0" },
      want: ["warn METHODOLOGY_CHANGED"],
    },

    { why: "a fifth of the opt-outs is gone", options: { optOuts: [5, 4] }, want: [] },
    {
      why: "more than a fifth of the opt-outs is gone",
      options: { optOuts: [6, 4] },
      want: ["refuse OPT_OUTS_FELL"],
    },
    { why: "the only opt-out is gone", options: { optOuts: [1, 0] }, want: ["refuse OPT_OUTS_FELL"] },
    { why: "there was no run before from this home", options: { optOuts: [undefined, 0] }, want: [] },
    {
      why: "opt-outs do not depend on as_of",
      options: { optOuts: [5, 0], days: -900 },
      want: ["warn AS_OF_EARLIER", "refuse OPT_OUTS_FELL"],
    },
  ])("$why", ({ options, want }) => {
    expect(codesOf(options)).toEqual(want);
  });

  const BAD: Case = { daos: [daosOf(9, 1), daosOf(1, 9)], votes: [9, 1], optOuts: [9, 1] };

  it.each(GATE_OVERRIDES)("--allow %s turns its own refusal into a warning, and no other", (override) => {
    const findings = applyOverrides(checkPlausibility(inputOf(BAD)), [override]);
    expect(findings.map((finding) => finding.override)).toEqual([
      "dao-count",
      "votes",
      "score-jump",
      "opt-outs",
    ]);
    for (const finding of findings) {
      expect(finding.severity).toBe(finding.override === override ? "warn" : "refuse");
    }
  });

  it.each([
    { why: "all were fetched", ranked: 4, never: 0, want: [] },
    { why: "one in four lacks", ranked: 4, never: 1, want: [] },
    { why: "half of them lack", ranked: 4, never: 2, want: [] },
    { why: "more than half lack", ranked: 5, never: 3, want: ["FIRST_VERSION_THIN"] },
    { why: "all but one lack", ranked: 12, never: 11, want: ["FIRST_VERSION_THIN"] },
    { why: "nothing is tracked", ranked: 0, never: 0, want: [] },
  ])("refuses a first version without most of its DAOs: $why", ({ ranked, never, want }) => {
    const daos = daosOf(ranked);
    const neverFetched = daos.slice(0, never).map((dao) => dao.space_id);
    const input = { ...inputOf({ daos: [[], daos] }), lists: { ...set, daos, unscored: [] }, neverFetched };
    expect(checkPlausibility({ ...input, previous: undefined }).map(({ code }) => code)).toEqual(want);
    expect(checkPlausibility(input), "a later version is compared with the one before").toEqual([]);
  });

  it("names the DAOs that a first version lacks", () => {
    const daos = daosOf(8);
    const neverFetched = daos.slice(1).map((dao) => dao.space_id);
    const lists = { ...set, daos, unscored: [] };
    expect(spoken(checkPlausibility({ ...inputOf({}), lists, neverFetched, previous: undefined }))).toEqual([
      "refuse FIRST_VERSION_THIN 7 of 8 DAOs could not be fetched for the first version: dao-1, dao-2, dao-3, dao-4, dao-5 and 2 more",
    ]);
  });

  it.each([
    { why: "the platform flagged it", code: "SPACE_FLAGGED" as const, want: [] },
    {
      why: "its proposals are gone, which may be a fault",
      code: "NO_PROPOSALS" as const,
      want: ["3 DAOs are ranked, 4 were before; not ranked any more: dao-3 (NO_PROPOSALS)"],
    },
    {
      why: "it left the registry",
      code: undefined,
      want: ["3 DAOs are ranked, 4 were before; not ranked any more: dao-3 (no longer tracked)"],
    },
  ])("one of four DAOs is not ranked any more: $why", ({ code, want }) => {
    const input = inputOf({ daos: [daosOf(4), daosOf(3)] });
    const [line] = set.unscored;
    if (line === undefined) throw new Error("the set has an unscored DAO");
    const unscored =
      code === undefined ? [] : [{ ...line, space_id: "dao-3", reason: { code, message: "" } }];
    const findings = checkPlausibility({ ...input, lists: { ...input.lists, unscored } });
    expect(
      findings.filter((finding) => finding.code === "DAO_COUNT_FELL").map(({ message }) => message),
    ).toEqual(want);
  });

  it("compares opt-outs also where nothing is published yet", () => {
    const input = { ...inputOf(BAD), previous: undefined };
    expect(checkPlausibility(input).map(({ code }) => code)).toEqual(["OPT_OUTS_FELL"]);
  });

  it("says what and where, but never how many opted out", () => {
    expect(spoken(checkPlausibility(inputOf({ ...BAD, optOuts: [47, 31] })))).toEqual([
      "refuse DAO_COUNT_FELL 1 DAOs are ranked, 9 were before; not ranked any more: dao-1 (no longer tracked), " +
        "dao-2 (no longer tracked), dao-3 (no longer tracked), dao-4 (no longer tracked), dao-5 (no longer tracked) and 3 more",
      "refuse VOTES_FELL the sources returned 1 votes, 9 before",
      "refuse SCORE_JUMPED dao-0: gvs 1.00 became 9.00, more than 2 points at once",
      "refuse OPT_OUTS_FELL over a fifth of the opt-outs of the last run are gone",
    ]);
    expect(checkPlausibility(inputOf(BAD)).map(({ spaceId, compared }) => ({ spaceId, compared }))).toEqual([
      { spaceId: undefined, compared: { was: "9", is: "1", limit: "at least 8" } },
      { spaceId: undefined, compared: { was: "9", is: "1", limit: "at least 8" } },
      { spaceId: "dao-0", compared: { was: "1.00", is: "9.00", limit: "2 points" } },
      { spaceId: undefined, compared: undefined },
    ]);
  });
});

const [detail] = set.details;

if (detail === undefined) throw new Error("the small world has no DAO");

/** So many DAOs, each of its own completeness now and before. */
function findings(
  completeness: readonly (readonly [was: number, is: number])[],
  { days = 1, method = set.methodologyVersion } = {},
) {
  const details = completeness.map(([, is], index): DaoDetail => {
    return { ...(detail as DaoDetail), space_id: `dao-${index}`, data_completeness: is };
  });
  const { daos } = gateInput({ set: { ...set, daos: [], details } });
  const previous = {
    asOf: timestampOf(AS_OF_MS - days * DAY_MS),
    createdAt: timestampOf(AS_OF_MS),
    methodologyVersion: method,
    daos: [],
    votes: 0,
    votesOfSpace: new Map(),
    completenessOfSpace: new Map(completeness.map(([was], index) => [`dao-${index}`, was])),
    rows: [],
  };
  const input = {
    votes: 0,
    votesOfSpace: new Map(),
    optOuts: 0,
    previousOptOuts: undefined,
    neverFetched: [],
  };
  const raised = checkPlausibility({ ...input, lists: { ...set, daos: [] }, daos, previous });
  return raised.filter(({ code }) => code === "COMPLETENESS_FELL");
}

const said = (...given: Parameters<typeof findings>) =>
  findings(...given).map(({ message, compared }) => `${message}; ${compared?.limit}`);

describe("COMPLETENESS_FELL", () => {
  it.each<{ why: string; is: Parameters<typeof findings>; want: string[] }>([
    { why: "nothing is compared", is: [[]], want: [] },
    { why: "nothing changed", is: [[[97, 97]]], want: [] },
    { why: "it rose", is: [[[10, 100]]], want: [] },
    { why: "the mean fell by exactly its limit", is: [[[97.51, 92.51]]], want: [] },
    {
      why: "the mean fell by a hundredth more",
      is: [[[97.51, 92.5]]],
      want: ["the mean completeness of 1 DAOs fell from 97.51 to 92.50; 5 points less"],
    },
    {
      why: "one of five fell by exactly its limit",
      is: [
        [
          [90, 70],
          [90, 90],
          [90, 90],
          [90, 90],
          [90, 90],
        ],
      ],
      want: [],
    },
    {
      why: "one of five fell by more, and is named",
      is: [
        [
          [90, 69.99],
          [90, 91],
          [90, 90],
          [90, 90],
          [90, 90],
        ],
      ],
      want: ["dao-0: completeness fell from 90.00 to 69.99; 20 points less"],
    },
    {
      why: "all is gone",
      is: [[[100, 0]]],
      want: [
        "the mean completeness of 1 DAOs fell from 100.00 to 0.00; 5 points less",
        "dao-0: completeness fell from 100.00 to 0.00; 20 points less",
      ],
    },
    { why: "versions that are far apart", is: [[[100, 0]], { days: 8 }], want: [] },
    { why: "an earlier moment", is: [[[100, 0]], { days: -1 }], want: [] },
    { why: "another method", is: [[[100, 0]], { method: "0.9.0" }], want: [] },
  ])("$why", ({ is, want }) => {
    expect(said(...is)).toEqual(want);
  });

  it("is let pass by its name alone", () => {
    const [finding] = findings([[100, 94]]);
    expect(finding).toMatchObject({
      code: "COMPLETENESS_FELL",
      severity: "refuse",
      override: "completeness",
    });
  });
});
