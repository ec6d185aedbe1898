import { describe, expect, it } from "vitest";
import {
  fetchFrom,
  many,
  proposalRow,
  SPACE,
  voteRow,
} from "../../pipeline/sources/archive/small-archive.ts";
import { type ContentRow, PROPOSAL_ROWS, TEXT_ROWS, VOTE_ROWS } from "./content-rows.ts";

const VOTES = `votes/${SPACE}.ndjson`;
const PROPOSALS = `proposals/${SPACE}.ndjson`;
const OTHERS = 20;

/** A row with this behind its own fields. */
const odd = (row: object, text: string) => `${JSON.stringify(row).slice(0, -1)},${text}}`;

/** Archives hold what a hub said: the same rows come to the same. */
describe("in an archive", () => {
  it.each(VOTE_ROWS)("a vote with $why: $code", async ({ text, code }: ContentRow) => {
    const votes = many(OTHERS, (n) => voteRow(n + 1));
    const sink = await fetchFrom({
      [PROPOSALS]: [proposalRow(1, { type: "single-choice" })],
      [VOTES]: [...votes, odd(voteRow(1), text)],
    });
    const codes = sink.rejections.map((rejection) => rejection.code);
    expect(codes.filter((one) => one !== "VOTE_OUTSIDE_WINDOW")).toEqual(code === undefined ? [] : [code]);
    const isKept = code === undefined || code === "CHOICE_UNREADABLE";
    expect(sink.ballots[0]?.count).toBe(isKept ? OTHERS + 1 : OTHERS);
    expect(JSON.stringify(sink.rejections)).not.toMatch(/passwd|__proto__|Infinity/);
  });

  it.each(PROPOSAL_ROWS)("a proposal with $why: $code", async ({ text, code }: ContentRow) => {
    const others = many(OTHERS, (n) => proposalRow(n + 1));
    const sink = await fetchFrom({ [PROPOSALS]: [...others, odd(proposalRow(1), text)] });
    expect(sink.rejections.map((rejection) => rejection.code)).toEqual(code === undefined ? [] : [code]);
    expect(sink.proposals).toHaveLength(code === undefined ? OTHERS + 1 : OTHERS);
  });

  it.each(TEXT_ROWS)("a title of $why", async ({ text, kept, title = kept }) => {
    const sink = await fetchFrom({ [PROPOSALS]: [odd(proposalRow(1), `"title":"${text}"`)] });
    expect(sink.proposals[0]?.title).toBe(title);
  });

  it("objects keep the prototypes that they had", () => {
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
