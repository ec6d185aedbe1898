import { describe, expect, it } from "vitest";
import { listFromS, writeNote } from "../../../../pipeline/sources/hub/hub-source.ts";

const DAY_S = 86_400;
const nowS = 2_000 * DAY_S;
const nowMs = nowS * 1000;
const note = (fromS: number, daysAgo = 0) => JSON.stringify({ fromS, atMs: nowMs - daysAgo * DAY_S * 1000 });
const from = (change: Partial<Parameters<typeof listFromS>[0]>) =>
  listFromS({ note: undefined, sinceMs: undefined, isFull: false, nowMs, ...change });

describe("the end from which proposals are listed", () => {
  it.each([
    { why: "all, the first time", given: {}, fromS: 0 },
    { why: "the frame, once all were listed", given: { note: note(0) }, fromS: nowS - 730 * DAY_S },
    {
      why: "the frame of the last time, where that was long ago",
      given: { note: note(0, 100) },
      fromS: nowS - 830 * DAY_S,
    },
    { why: "all again, when it shall", given: { note: note(0), isFull: true }, fromS: 0 },
    { why: "what is asked for", given: { sinceMs: 5_999 }, fromS: 5 },
    { why: "all, where only later ones were listed", given: { note: note(1) }, fromS: 0 },
    {
      why: "all since, where only later ones were listed",
      given: { note: note(9), sinceMs: 8_000 },
      fromS: 8,
    },
    {
      why: "the frame, where as many were listed",
      given: { note: note(8), sinceMs: 8_000 },
      fromS: nowS - 730 * DAY_S,
    },
    {
      why: "less than the frame, where less is asked for",
      given: { note: note(0), sinceMs: nowMs },
      fromS: nowS,
    },
    { why: "all, where the note is damaged", given: { note: "{" }, fromS: 0 },
    { why: "all, where the note is another's", given: { note: '{"fromS":"0"}' }, fromS: 0 },
    { why: "a clock that was set back", given: { note: note(0, -5) }, fromS: nowS - 730 * DAY_S },
    { why: "not before 1970", given: { sinceMs: -1 }, fromS: 0 },
  ])("$why", ({ given, fromS }) => {
    expect(from(given)).toBe(fromS);
  });

  it.each([
    { why: "the first", before: undefined, fromS: 7, next: { fromS: 7, daysAgo: 0 } },
    {
      why: "the frame after all",
      before: note(0, 5),
      fromS: nowS - 735 * DAY_S,
      next: { fromS: 0, daysAgo: 0 },
    },
    {
      why: "less than that",
      before: note(0, 5),
      fromS: nowS - 735 * DAY_S + 1,
      next: { fromS: 0, daysAgo: 5 },
    },
    { why: "further back than before", before: note(9, 5), fromS: 7, next: { fromS: 7, daysAgo: 0 } },
    { why: "as far back as before", before: note(9, 5), fromS: 9, next: { fromS: 9, daysAgo: 0 } },
    {
      why: "as far back as before, which is less than the frame",
      before: note(nowS - DAY_S, 5),
      fromS: nowS - DAY_S,
      next: { fromS: nowS - DAY_S, daysAgo: 0 },
    },
  ])("the note says how far back they are listed, and as of when: $why", ({ before, fromS, next }) => {
    expect(JSON.parse(writeNote(before, fromS, nowMs))).toEqual(JSON.parse(note(next.fromS, next.daysAgo)));
  });
});
