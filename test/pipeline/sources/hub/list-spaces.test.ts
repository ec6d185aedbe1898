import { expect, it } from "vitest";
import { sampleSpace } from "../../../support/fake-hub/sample-space.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();
const list = (which: "verified" | "all", pageSize = 1_000) => stage.source({ pageSize }).listSpaces(which);

/** Puts spaces of these ids, in place of the sample space. */
function putSpaces(ids: readonly string[], change: Readonly<Record<string, unknown>> = {}): void {
  const { spaces } = stage.hub().store;
  spaces.clear();
  for (const id of ids) spaces.set(id, sampleSpace({ id, name: `Name of ${id}`, ...change }));
}
const idsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => `s${String(n).padStart(4, "0")}.eth`);

it.each([
  { count: 0, pageSize: 10, requests: 1, why: "no space at all" },
  { count: 10, pageSize: 10, requests: 1, why: "five pages are asked for at once, so that four are empty" },
  { count: 45, pageSize: 10, requests: 1, why: "each page repeats a row, and the fifth is not full" },
  { count: 46, pageSize: 10, requests: 2, why: "nobody knows that a full page is the last" },
  { count: 47, pageSize: 10, requests: 2, why: "one is on the sixth page" },
  { count: 4, pageSize: 1, requests: 1, why: "a page of one row repeats none" },
  { count: 5, pageSize: 1, requests: 2, why: "five pages of one row are full" },
])("lists $count spaces in pages of $pageSize: $why", async ({ count, pageSize, requests }) => {
  const ids = idsOf(count);
  putSpaces([...ids].reverse());
  const { spaces, withheld, invalid } = await list("all", pageSize);
  expect(spaces.map(({ spaceId }) => spaceId)).toEqual(ids);
  expect({ withheld, invalid }).toEqual({ withheld: 0, invalid: 0 });
  expect(stage.hub().arrived).toHaveLength(requests);
});

it("lists only the verified ones where these are asked for", async () => {
  putSpaces(["a.eth", "b.eth"]);
  stage.hub().store.putSpace(sampleSpace({ id: "c.eth", verified: true }));
  expect((await list("verified")).spaces.map(({ spaceId }) => spaceId)).toEqual(["c.eth"]);
});

it.each<[categories: readonly string[], is: string | undefined, why: string]>([
  [["defi"], "defi", "the same word"],
  [["protocol", "rwa"], "defi", "the more telling one counts"],
  [["grant", "protocol"], "public_goods", "grants are for public goods"],
  [["social", "layer-2"], "social", "both are ours: the first of our order"],
  [["protocol"], "infrastructure", "it says nothing else"],
  [["investment", "service"], undefined, "neither is one of ours"],
  [[], undefined, "it has none"],
])("reads the categories %j as %s: %s", async (categories, is) => {
  putSpaces(["a.eth"], { categories });
  expect((await list("all")).spaces).toEqual([{ spaceId: "a.eth", name: "Name of a.eth", category: is }]);
});

it("cleans names, counts ids that are none of ours and rows that the hub cannot return", async () => {
  putSpaces(["..", "S-TN:0x1", "a.eth"], { name: " A\u202e\u0007 " });
  stage.hub().store.putSpace(sampleSpace({ id: "b.eth", name: "\u0007" }));
  stage.hub().store.putSpace(sampleSpace({ id: "c.eth", categories: [null] }));
  const { spaces, ...counts } = await list("all");
  // A name of nothing is the id.
  expect(spaces.map(({ spaceId, name }) => [spaceId, name])).toEqual([
    ["a.eth", "A"],
    ["b.eth", "b.eth"],
  ]);
  expect(counts).toEqual({ withheld: 1, invalid: 2 });
});

it("goes on after a page that a row cut short", async () => {
  const ids = idsOf(25);
  putSpaces(ids);
  stage.hub().store.putSpace(sampleSpace({ id: "s0006.eth", categories: [null] }));
  const { spaces, withheld } = await list("all", 5);
  expect(spaces.map(({ spaceId }) => spaceId)).toEqual(ids.filter((id) => id !== "s0006.eth"));
  expect(withheld).toBe(1);
});

it("reads the list again if a space was deleted between two pages", async () => {
  const ids = idsOf(25);
  putSpaces(ids);
  stage.hub().failWith((_, count) => {
    // Without the repeated row, a space on the next page would be missed.
    if (count === 1) stage.hub().store.spaces.delete("s0003.eth");
    return undefined;
  });
  const { spaces } = await list("all", 5);
  expect(spaces.map(({ spaceId }) => spaceId)).toEqual(ids.filter((id) => id !== "s0003.eth"));
});

it("gives up on a list that changes each time", async () => {
  putSpaces(idsOf(60));
  stage.hub().failWith((_, count) => {
    stage.hub().store.spaces.delete(`s000${count % 10}.eth`);
    return undefined;
  });
  await expect(list("all", 10)).rejects.toThrow("changed each time while it was read");
});

it("refuses a list that is longer than the hub can skip", async () => {
  const page = (skip: number) => Array.from({ length: 1_000 }, (_, n) => ({ id: `s${skip + n}.eth` }));
  stage.hub().failWith(({ variables }) => {
    const pages = Object.entries(variables).filter(([name]) => name.endsWith("skip"));
    // It refuses what is beyond by itself.
    if (pages.some(([, skip]) => Number(skip) > 100_000)) return undefined;
    const data = pages.map(([name, skip]) => [
      name === "skip" ? "spaces" : name.split("_")[0],
      page(Number(skip)),
    ]);
    return { kind: "body", body: JSON.stringify({ data: Object.fromEntries(data) }) };
  });
  await expect(list("all")).rejects.toThrow("the hub lists more than 100000 spaces");
});
