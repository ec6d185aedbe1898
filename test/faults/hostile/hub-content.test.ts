import { describe, expect, it } from "vitest";
import { VOTE_FLAGS } from "../../../pipeline/facts/proposal-votes.ts";
import type { HubRow } from "../../support/fake-hub/hub-store.ts";
import { closedProposal, putWithVotes, voteOn } from "../../support/fake-hub/sample-space.ts";
import { type ContentRow, PROPOSAL_ROWS, TEXT_ROWS, VOTE_ROWS } from "./content-rows.ts";
import { useHostileStage } from "./hostile-stage.ts";

const stage = useHostileStage();

/** Of twenty-one rows one may be malformed without making the others worthless. */
const OTHERS = 20;
const rowText = (row: HubRow, more = "") =>
  `${JSON.stringify(row).slice(0, -1)}${more === "" ? "" : `,${more}`}}`;

/** Answers one query with this text; the hub itself answers the others, and what is asked for by id. */
function answerInstead(asked: string, text: string): void {
  stage.hub().failWith(({ operation, variables }) => {
    const isById = Object.hasOwn(variables["where"] ?? {}, "id_in");
    return operation === asked && !isById ? { kind: "body", body: text } : undefined;
  });
}

/** Good rows, and between them the odd one. */
function listText(field: string, good: readonly HubRow[], odd: string): string {
  const texts = good.map((row) => rowText(row));
  return `{"data":{"${field}":[${[...texts.slice(0, 3), odd, ...texts.slice(3)].join(",")}]}}`;
}

describe("a vote of the hub", () => {
  it.each(VOTE_ROWS)("$why: $code", async ({ text, code }: ContentRow) => {
    const { store } = stage.hub();
    stage.hub().failWith(undefined);
    store.proposals.clear();
    const proposal = closedProposal("0xv");
    const votes = Array.from({ length: OTHERS + 1 }, (_, n) => voteOn(proposal, n + 1));
    putWithVotes(store, proposal, votes);
    const rows = votes.map((vote) => ({ ...vote, proposal: { id: "0xv" } }));
    answerInstead("Votes", listText("votes", rows.slice(1), rowText(rows[0] ?? {}, text)));
    const record = await stage.fetch("hub", undefined, { isFull: true });
    expect(record).toMatchObject({ status: "complete", rejected: code === undefined ? {} : { [code]: 1 } });
    const isKept = code === undefined || code === "CHOICE_UNREADABLE";
    const ballot = stage.facts().ballots.get("0xv");
    expect(ballot?.count).toBe(isKept ? OTHERS + 1 : OTHERS);
    for (const power of ballot?.powers ?? []) expect(power >= 0 && power < Infinity).toBe(true);
    const unreadable = [...(ballot?.flags ?? [])].filter((flags) => flags & VOTE_FLAGS.choiceUnreadable);
    expect(unreadable).toHaveLength(code === "CHOICE_UNREADABLE" ? 1 : 0);
    const words = JSON.stringify(stage.warehouse().rejections());
    expect(words.length).toBeLessThan(1_000);
    expect(words).not.toMatch(/passwd|__proto__|Infinity/);
  });
});

describe("a proposal of the hub", () => {
  const others = Array.from({ length: OTHERS }, (_, n) =>
    closedProposal(`0xp${n + 2}`, { space: { id: "sample.eth" } }),
  );
  /** A row of its own each time: what was taken once is held. */
  let oddRows = 0;

  async function fetchWith(text: string) {
    oddRows += 1;
    stage.hub().store.proposals.clear();
    const odd = closedProposal(`0xodd${oddRows}`, { space: { id: "sample.eth" } });
    answerInstead("Proposals", listText("proposals", others, rowText(odd, text)));
    const record = await stage.fetch("hub", undefined, { isFull: true });
    const held = stage.facts().proposals.filter(({ isDeleted }) => !isDeleted);
    return { record, held, oddId: `0xodd${oddRows}` };
  }

  it.each([
    ...PROPOSAL_ROWS,
    { why: "a proposal of another space", text: `"space":{"id":"other.eth"}`, code: "ID_INVALID" },
    { why: "a proposal of a space that climbs", text: `"space":{"id":"../sample.eth"}`, code: "ID_INVALID" },
    {
      why: "a proposal of a space that ends its line",
      text: `"space":{"id":"sample.eth\\n"}`,
      code: "ID_INVALID",
    },
  ])("$why: $code", async ({ text, code }: ContentRow) => {
    const { record, held } = await fetchWith(text);
    expect(record).toMatchObject({ status: "complete", rejected: code === undefined ? {} : { [code]: 1 } });
    expect(held).toHaveLength(code === undefined ? OTHERS + 1 : OTHERS);
    expect(held.every(({ quorum = 0, scoresTotal = 0 }) => quorum + scoresTotal < Infinity)).toBe(true);
  });

  it.each(TEXT_ROWS)("titled with $why", async ({ text, kept, title = kept }) => {
    const { record, held, oddId } = await fetchWith(`"title":"${text}"`);
    expect(record).toMatchObject({ status: "complete", rejected: {} });
    expect(held.find(({ proposalId }) => proposalId === oddId)?.title).toBe(title);
  });

  it("is one of too many that are malformed: the DAO fails, and what is held stays", async () => {
    stage.hub().failWith(undefined);
    await stage.fetch("hub", undefined, { isFull: true });
    const before = stage.facts();
    const rows = others.map((row, n) => rowText(row, n % 7 === 0 ? `"votes":-1` : ""));
    answerInstead("Proposals", `{"data":{"proposals":[${rows.join(",")}]}}`);
    const record = await stage.fetch("hub");
    expect(record.error?.message).toBe("3 of 20 proposals of the hub are malformed");
    expect(stage.facts()).toEqual(before);
  });
});
