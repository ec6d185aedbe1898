import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { countFieldsKnown } from "../../../../pipeline/score/components/completeness.ts";
import { type EligibilityFacts, ineligibleBecause } from "../../../../pipeline/score/method/measures.ts";
import { METHODOLOGY } from "../../../../pipeline/score/method/methodology.ts";
import { PROPOSAL_PLACES } from "../../../../snapshots/format/proposal-line.ts";
import { sampleProposal } from "../sample-facts.ts";
import { METHODOLOGY_PATH } from "./generated-blocks.ts";

const text = readFileSync(METHODOLOGY_PATH, "utf8").replaceAll(/\s+/g, " ");

const { frame, votes, coordination, participation, process, completeness, uncertainty, risk } = METHODOLOGY;
const number = (value: number) => value.toLocaleString("en");
/** Which percentile a share is. */
const percentile = (share: number) => `${Math.round(100 * share)}th`;
const POWERS: Readonly<Record<number, string>> = { 0.000001: "10⁻⁶" };
const PARTS: Readonly<Record<number, string>> = { 0.25: "¼", 0.75: "¾" };
const RAISED: Readonly<Record<number, string>> = { 5: "⁵" };

const draws = RAISED[participation.rarefactionDraws];
const dust = PARTS[votes.dustShare / votes.fullHeadShare];
const rest = PARTS[1 - votes.dustShare / votes.fullHeadShare];

describe("the sentences hold the numbers of the code", () => {
  it.each([
    { why: "scale", says: `over the ${frame.scaleProposals} largest S above 0` },
    { why: "scale", says: `eligible proposals of the last ${frame.horizonDays} days with the same voting` },
    {
      why: "attention",
      says: `ω = clamp((S / scale − ${PARTS[frame.attentionFloor]}) / ${PARTS[1 - frame.attentionFloor]})`,
    },
    { why: "head weight", says: `clamp((share / ${POWERS[votes.fullHeadShare]} − ${dust}) / ${rest})` },
    { why: "places", says: `\`TOO_OLD\` (${frame.horizonDays} days or more)` },
    { why: "places", says: `where Σω is ${frame.attentionTarget} and they ended before the oldest member` },
    { why: "links", says: `holds more than ${coordination.windowVotersMax} others` },
    { why: "links", says: `ln(1/${coordination.falseLinks})` },
    { why: "loyalty", says: `H(5) = Σ g · (1 − (1 − q)${draws})` },
    { why: "loyalty", says: `r₀ = 1 / (n_e · (1 − (1 − 1/n_e)${draws}))` },
    { why: "loyalty", says: `clamp(found / ${participation.fullMarksLoyalty})` },
    {
      why: "breadth",
      says: `− ln ${participation.breadthFromHeads}) / (ln ${number(participation.breadthFullHeads)} − ln ${participation.breadthFromHeads})`,
    },
    { why: "batches", says: `those of them within ${coordination.windowSeconds} s of the same wallet's` },
    { why: "quorum", says: `at least ${100 * process.meaningfulQuorumShare} % of the frame's median S` },
    { why: "proposers", says: `ln min(${process.fullMarksProposers}, n_e)` },
    { why: "resamples", says: `${number(uncertainty.resamples)} resamples, each of as many draws` },
    {
      why: "resamples",
      says: `the ${percentile(uncertainty.lowShare)} and ${percentile(uncertainty.highShare)} percentile of the resamples`,
    },
    { why: "active voters", says: `the frame's proposals of the last ${risk.activityDays} days alone` },
    {
      why: "reconciled",
      says: `by at most ${100 * completeness.reconciledWithin} %, of those that have both`,
    },
    {
      why: "freshness",
      says: `1 up to ${completeness.freshHours} hours, in a straight line to 0 at seven days`,
    },
    { why: "freshness", says: completeness.staleDays === 7 ? "0 at seven days" : "another number of days" },
  ])("$why: $says", ({ says }) => {
    expect(text).toContain(says);
  });
});

it("names the fields that completeness counts, and how many they are", () => {
  const whole = sampleProposal("0x1", {
    created: { atMs: 0, precision: "day" },
    discussion: "",
    scoresTotal: 0,
    votesCount: 0,
  });
  expect(text).toContain(`\`fields_known\` / ${countFieldsKnown(whole)},`);
  const [, list = ""] = /The nine are (.*?), named as in the archive/.exec(text) ?? [];
  const named = [...list.matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => name);
  expect(named).toHaveLength(countFieldsKnown(whole));
  const keys: Readonly<Record<string, string>> = {
    type: "votingType",
    choices: "choicesCount",
    scores_total: "scoresTotal",
    votes: "votesCount",
  };
  for (const name of named) {
    const without = { ...whole, [keys[name] ?? name]: undefined };
    expect(countFieldsKnown(without), name).toBe(countFieldsKnown(whole) - 1);
  }
});

describe("places", () => {
  const [, paragraph = ""] = /\*\*Places\.\*\*(.*?)`frame\.eligible`/.exec(text) ?? [];

  it("are all told", () => {
    for (const place of PROPOSAL_PLACES) expect(paragraph).toContain(`\`${place}\``);
  });

  it("of proposals that are not eligible stand in the order in which they are looked at", () => {
    const faults: readonly Partial<EligibilityFacts>[] = [
      { isDeleted: true },
      { isFlagged: true },
      { end: undefined },
      { end: { atMs: 2 } },
      { state: "active" },
      { state: "cancelled" },
      { scoresState: "pending" },
    ];
    const sound: EligibilityFacts = {
      isDeleted: false,
      isFlagged: false,
      end: { atMs: 0 },
      state: "closed",
      scoresState: "final",
    };
    // The last faults of all first, so that each is looked at beside everything that comes after it.
    const found = faults.map((_, from) =>
      ineligibleBecause(Object.assign({}, sound, ...faults.slice(from).toReversed()), 1),
    );
    const told = [...paragraph.matchAll(/`([A-Z_]+)`/g)].map(([, place]) => place);
    expect(told.slice(0, found.length)).toEqual(found);
  });
});
