import { describe, expect, it } from "vitest";
import { checkPlausibility } from "../../../pipeline/gate/check-plausibility.ts";
import { applyOverrides, GATE_OVERRIDES } from "../../../pipeline/gate/gate-rules.ts";
import type { DaoSummary } from "../../../snapshots/format/dao.ts";
import { timestampOf } from "../../../snapshots/format/ids.ts";
import { AS_OF_MS, DAY_MS } from "../documents/scored-daos.ts";
import { gateInput, previousVersion, spoken, validSet } from "./valid-set.ts";

const set = validSet();
const { daos: GATED } = gateInput({ set });

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

/** What the version before has and what this one has; the same where a test says nothing. */
interface Case {
  readonly daos?: readonly [before: DaoSummary[], now: DaoSummary[]];
  readonly votes?: readonly [before: number, now: number];
  readonly votesOfSpace?: readonly [before: Record<string, number>, now: Record<string, number>];
  readonly optOuts?: readonly [before: number | undefined, now: number];
  readonly completeness?: readonly (readonly [before: number, now: number])[];
  /** Days from the previous version to this one. */
  readonly days?: number;
  readonly method?: string;
}

function inputOf({ completeness = [], days = 1, method, ...options }: Case): PlausibilityInput {
  const [daosBefore, daosNow] = options.daos ?? [daosOf(5), daosOf(5)];
  const [votesBefore, votesNow] = options.votes ?? [1000, 1000];
  const [ofSpaceBefore, ofSpaceNow] = options.votesOfSpace ?? [{}, {}];
  const [optOutsBefore, optOutsNow] = options.optOuts ?? [0, 0];
  const [gated = expect.fail("the small world has DAOs")] = GATED;
  return {
    lists: { ...set, daos: daosNow },
    daos: completeness.map(([, is], index) => ({
      ...gated,
      digest: { ...gated.digest, spaceId: `dao-${index}` },
      completeness: is,
    })),
    votes: votesNow,
    votesOfSpace: new Map(Object.entries(ofSpaceNow)),
    optOuts: optOutsNow,
    previousOptOuts: optOutsBefore,
    neverFetched: [],
    previous: previousVersion({
      asOf: timestampOf(AS_OF_MS - days * DAY_MS),
      ...(method === undefined ? {} : { methodologyVersion: method }),
      daos: daosBefore,
      votes: votesBefore,
      votesOfSpace: new Map(Object.entries(ofSpaceBefore)),
      completenessOfSpace: new Map(completeness.map(([was], index) => [`dao-${index}`, was])),
    }),
  };
}

const codesOf = (options: Case) =>
  checkPlausibility(inputOf(options)).map(({ severity, code }) => `${severity} ${code}`);

it("a damaged current version is refused with the damage, if nobody allows it", () => {
  const [damaged] = checkPlausibility({ ...inputOf({}), previous: { damage: "daos.json: wrong hash" } });
  expect(damaged).toMatchObject({ severity: "refuse", code: "PREVIOUS_DAMAGED", override: "previous" });
  expect(damaged?.message).toContain("daos.json: wrong hash");
});

describe("checkPlausibility", () => {
  const apart: Case["daos"] = [daosOf(2, 1), daosOf(1, 9)];
  const jump: Case["daos"] = [daosOf(1, 1), daosOf(1, 9)];
  it.each<[why: string, options: Case, want: string[]]>([
    ["nothing changed", {}, []],
    ["everything grew", { daos: [daosOf(1), daosOf(9)], votes: [0, 9], optOuts: [0, 9] }, []],
    ["nothing was there, nothing is", { daos: [[], []], votes: [0, 0], optOuts: [0, 0] }, []],

    ["a fifth of the DAOs is gone", { daos: [daosOf(5), daosOf(4)] }, []],
    ["more than a fifth of the DAOs is gone", { daos: [daosOf(9), daosOf(7)] }, ["refuse DAO_COUNT_FELL"]],
    ["all DAOs are gone", { daos: [daosOf(1), []] }, ["refuse DAO_COUNT_FELL"]],

    ["a fifth of the votes is gone", { votes: [1000, 800] }, []],
    ["one vote more is gone", { votes: [1000, 799] }, ["refuse VOTES_FELL"]],
    ["one DAO lost exactly a fifth", { votesOfSpace: [{ a: 1000 }, { a: 800 }] }, []],
    [
      "one DAO lost more than a fifth, in a file cut at the end of a row",
      { votesOfSpace: [{ a: 1000 }, { a: 799 }] },
      ["refuse VOTES_FELL"],
    ],
    ["one DAO is not tracked any more", { votesOfSpace: [{ a: 1000 }, {}] }, []],
    ["all votes are gone", { votes: [1, 0] }, ["refuse VOTES_FELL"]],
    ["votes do not depend on as_of", { votes: [10, 1], days: 900 }, ["warn AS_OF_FAR", "refuse VOTES_FELL"]],

    ["a score moves by 2", { daos: [daosOf(1, 2.4), daosOf(1, 4.4)] }, []],
    ["a score rises by more than 2", { daos: [daosOf(1, 5.3), daosOf(1, 7.31)] }, ["refuse SCORE_JUMPED"]],
    ["a score falls by more than 2", { daos: [daosOf(1, 10), daosOf(1, 0)] }, ["refuse SCORE_JUMPED"]],
    ["each jump is named", { daos: [daosOf(2, 1), daosOf(2, 9)] }, Array(2).fill("refuse SCORE_JUMPED")],
    ["a new DAO does not jump", { daos: [[], daosOf(1, 9)] }, []],

    ["seven days later is near", { daos: apart, days: 7 }, ["refuse DAO_COUNT_FELL", "refuse SCORE_JUMPED"]],
    [
      "more than seven days later is far",
      { daos: apart, days: 7 + 1 / DAY_MS },
      ["warn AS_OF_FAR", "warn DAO_COUNT_FELL"],
    ],
    [
      "however far, an empty ranking after one that was not",
      { daos: [daosOf(1), []], days: 30 },
      ["warn AS_OF_FAR", "refuse DAO_COUNT_FELL"],
    ],
    ["the same moment is near", { daos: jump, days: 0 }, ["refuse SCORE_JUMPED"]],
    [
      "a millisecond earlier is earlier",
      { daos: apart, days: -1 / DAY_MS },
      ["warn AS_OF_EARLIER", "warn DAO_COUNT_FELL"],
    ],
    ["years earlier only warns", { daos: jump, days: -900 }, ["warn AS_OF_EARLIER"]],
    ["another method has other scores", { daos: jump, method: "0.9.0" }, ["warn METHODOLOGY_CHANGED"]],

    ["a fifth of the opt-outs is gone", { optOuts: [5, 4] }, []],
    ["more than a fifth of the opt-outs is gone", { optOuts: [6, 4] }, ["refuse OPT_OUTS_FELL"]],
    ["the only opt-out is gone", { optOuts: [1, 0] }, ["refuse OPT_OUTS_FELL"]],
    ["there was no run before from this home", { optOuts: [undefined, 0] }, []],
    [
      "opt-outs do not depend on as_of",
      { optOuts: [5, 0], days: -900 },
      ["warn AS_OF_EARLIER", "refuse OPT_OUTS_FELL"],
    ],
  ])("%s", (_, options, want) => {
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

  const thin = (limit: number) => [{ code: "FIRST_VERSION_THIN", limit: `at least ${limit}` }];
  it.each<[why: string, ranked: number, never: number, want: ReturnType<typeof thin>]>([
    ["all were fetched", 4, 0, []],
    ["half of them lack", 4, 2, []],
    ["more than half lack", 5, 3, thin(3)],
    ["nothing is tracked", 0, 0, []],
  ])("refuses a first version without most of its DAOs: %s", (_, ranked, never, want) => {
    const daos = daosOf(ranked);
    const neverFetched = daos.slice(0, never).map((dao) => dao.space_id);
    const input = { ...inputOf({ daos: [[], daos] }), lists: { ...set, daos, unscored: [] }, neverFetched };
    const found = checkPlausibility({ ...input, previous: undefined });
    expect(found.map(({ code, compared }) => ({ code, limit: compared?.limit }))).toEqual(want);
    expect(checkPlausibility(input), "a later version is compared with the one before").toEqual([]);
  });

  it("names the first five DAOs that a first version lacks", () => {
    const daos = daosOf(8);
    const neverFetched = daos.slice(1).map((dao) => dao.space_id);
    const lists = { ...set, daos, unscored: [] };
    const [found] = checkPlausibility({ ...inputOf({}), lists, neverFetched, previous: undefined });
    expect(found?.message).toMatch(/7 of 8 DAOs .*: dao-1, dao-2, dao-3, dao-4, dao-5 and 2 more$/);
  });

  it.each([
    { why: "the platform flagged it", code: "SPACE_FLAGGED" as const, named: [] },
    {
      why: "its proposals are gone, which may be a fault",
      code: "NO_PROPOSALS" as const,
      named: [expect.stringMatching(/dao-3 \(NO_PROPOSALS\)$/)],
    },
    {
      why: "it left the registry",
      code: undefined,
      named: [expect.stringMatching(/dao-3 \(no longer tracked\)$/)],
    },
  ])("one of four DAOs is not ranked any more: $why", ({ code, named }) => {
    const input = inputOf({ daos: [daosOf(4), daosOf(3)] });
    const unscored = set.unscored
      .slice(0, 1)
      .flatMap((line) =>
        code === undefined ? [] : { ...line, space_id: "dao-3", reason: { code, message: "" } },
      );
    const found = checkPlausibility({ ...input, lists: { ...input.lists, unscored } });
    expect(found.map(({ message }) => message)).toEqual(named);
  });

  it("compares opt-outs also where nothing is published yet", () => {
    const input = { ...inputOf(BAD), previous: undefined };
    expect(checkPlausibility(input).map(({ code }) => code)).toEqual(["OPT_OUTS_FELL"]);
  });

  it("names what was and is, but never how many opted out", () => {
    const found = checkPlausibility(inputOf({ ...BAD, optOuts: [47, 31] }));
    expect(found.map(({ code, spaceId, compared }) => [code, spaceId, compared])).toEqual([
      ["DAO_COUNT_FELL", undefined, { was: "9", is: "1", limit: "at least 8" }],
      ["VOTES_FELL", undefined, { was: "9", is: "1", limit: "at least 8" }],
      ["SCORE_JUMPED", "dao-0", { was: "1.00", is: "9.00", limit: "2 points" }],
      ["OPT_OUTS_FELL", undefined, undefined],
    ]);
    expect(spoken(found).at(-1)).not.toMatch(/\d/);
  });
});

describe("COMPLETENESS_FELL", () => {
  const mean = (was: string, is: string) => [undefined, { was, is, limit: "5 points less" }];
  const one = (was: string, is: string) => ["dao-0", { was, is, limit: "20 points less" }];
  const four = Array.from({ length: 4 }, () => [90, 90] as const);
  it.each<[why: string, completeness: Required<Case>["completeness"], want: unknown[]]>([
    ["nothing is compared", [], []],
    ["nothing changed", [[97, 97]], []],
    ["it rose", [[10, 100]], []],
    ["the mean fell by exactly its limit", [[97.51, 92.51]], []],
    ["the mean fell by a hundredth more", [[97.51, 92.5]], [mean("97.51", "92.50")]],
    ["one of five fell by exactly its limit", [[90, 70], ...four], []],
    ["one of five fell by more", [[90, 69.99], ...four], [one("90.00", "69.99")]],
    ["all is gone", [[100, 0]], [mean("100.00", "0.00"), one("100.00", "0.00")]],
  ])("%s", (_, completeness, want) => {
    const found = checkPlausibility(inputOf({ completeness }));
    expect(found.map(({ spaceId, compared }) => [spaceId, compared])).toEqual(want);
    for (const each of found)
      expect(each).toMatchObject({ code: "COMPLETENESS_FELL", severity: "refuse", override: "completeness" });
  });

  it.each<[why: string, options: Case, want: string]>([
    ["versions that are far apart", { days: 8 }, "warn AS_OF_FAR"],
    ["an earlier moment", { days: -1 }, "warn AS_OF_EARLIER"],
    ["another method", { method: "0.9.0" }, "warn METHODOLOGY_CHANGED"],
  ])("is not asked of %s", (_, options, want) => {
    expect(codesOf({ ...options, completeness: [[100, 0]] })).toEqual([want]);
  });
});
