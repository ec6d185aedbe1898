import { describe, expect, it } from "vitest";
import { type CompleteFetch, lastCompleteFetch } from "../../../pipeline/warehouse/fetches.ts";
import { dao } from "./sample-facts.ts";

const GOVERNED = dao("a.eth");
const UNGOVERNED = { ...GOVERNED, governor: undefined };
const archive = (fetchedAtMs: number): CompleteFetch => ({ sourceId: "archive", fetchedAtMs });
const hub = (fetchedAtMs: number): CompleteFetch => ({ sourceId: "snapshot-hub", fetchedAtMs });
const governor = (fetchedAtMs: number): CompleteFetch => ({ sourceId: "governor", fetchedAtMs });

describe("lastCompleteFetch", () => {
  it.each([
    { why: "never fetched whole", fetches: [], tracked: GOVERNED, ms: undefined, isArchive: false },
    { why: "an archive alone", fetches: [archive(5)], tracked: GOVERNED, ms: 5, isArchive: true },
    { why: "a hub alone", fetches: [hub(5)], tracked: UNGOVERNED, ms: 5, isArchive: false },
    {
      why: "an archive first and a hub later: the hub",
      fetches: [archive(1), hub(5)],
      tracked: UNGOVERNED,
      ms: 5,
      isArchive: false,
    },
    {
      why: "a hub first and an archive later: still the hub, which ages",
      fetches: [archive(9), hub(5)],
      tracked: UNGOVERNED,
      ms: 5,
      isArchive: false,
    },
    {
      why: "a hub and an older governor (it failed since): the older",
      fetches: [governor(3), hub(5)],
      tracked: GOVERNED,
      ms: 3,
      isArchive: false,
    },
    {
      why: "a governor and an older hub: the older",
      fetches: [governor(7), hub(5)],
      tracked: GOVERNED,
      ms: 5,
      isArchive: false,
    },
    {
      why: "a governor that the registry names and that never succeeded does not count",
      fetches: [hub(5)],
      tracked: GOVERNED,
      ms: 5,
      isArchive: false,
    },
    {
      why: "a governor alone",
      fetches: [governor(5)],
      tracked: GOVERNED,
      ms: 5,
      isArchive: false,
    },
    {
      why: "an archive and a governor: the governor",
      fetches: [archive(1), governor(5)],
      tracked: GOVERNED,
      ms: 5,
      isArchive: false,
    },
    {
      why: "a governor that the registry no longer names does not make the hub look old",
      fetches: [governor(3), hub(5)],
      tracked: UNGOVERNED,
      ms: 5,
      isArchive: false,
    },
    {
      why: "nor does it keep an archive from counting",
      fetches: [archive(1), governor(5)],
      tracked: UNGOVERNED,
      ms: 1,
      isArchive: true,
    },
    {
      why: "and alone it is nothing",
      fetches: [governor(5)],
      tracked: UNGOVERNED,
      ms: undefined,
      isArchive: false,
    },
    {
      why: "a fetch at the epoch is one",
      fetches: [hub(0), governor(5)],
      tracked: GOVERNED,
      ms: 0,
      isArchive: false,
    },
  ])("$why", ({ fetches, tracked, ms, isArchive }) => {
    expect(lastCompleteFetch(fetches, tracked)).toEqual({ lastCompleteFetchMs: ms, isArchive });
    expect(lastCompleteFetch(fetches.toReversed(), tracked), "in any order").toEqual({
      lastCompleteFetchMs: ms,
      isArchive,
    });
  });
});
