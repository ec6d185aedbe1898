import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { pipelineFailure, sourceFailed } from "../../../pipeline/facts/errors.ts";
import type { ListedSpace } from "../../../pipeline/facts/tracked.ts";
import { readRegistry } from "../../../pipeline/home/read-registry.ts";
import type { Settings } from "../../../pipeline/home/settings.ts";
import { trackListed } from "../../../pipeline/stages/track-listed.ts";
import { recordedEffects, testHome } from "../home/test-home.ts";

let settings: Settings;
beforeEach(() => {
  const home = testHome();
  settings = { ...home, registryPath: join(home.homeDirectory, "named.yaml") };
});

const register = (text: string) => writeFileSync(settings.registryPath ?? "", text);
const file = () => join(settings.homeDirectory, "listed-spaces.json");
const space = (spaceId: string, change: Partial<ListedSpace> = {}): ListedSpace => ({
  spaceId,
  name: `Name of ${spaceId}`,
  category: "defi",
  ...change,
});
const many = (count: number) => Array.from({ length: count }, (_, n) => space(`s${n}.eth`));

/** Tracks the list that a hub answers with, or what it fails with; returns the ids, warnings and reported counts. */
async function track(
  answer: readonly ListedSpace[] | Error,
  { withheld = 0, invalid = 0 }: { readonly withheld?: number; readonly invalid?: number } = {},
) {
  const { effects, steps, warnings } = recordedEffects();
  const registry = await trackListed(settings, readRegistry(settings), effects, async () => {
    if (answer instanceof Error) throw answer;
    return { spaces: answer, withheld, invalid };
  });
  return { ids: registry.daos.map(({ spaceId }) => spaceId), warnings, steps };
}

describe("a registry that tracks the hub's list", () => {
  it("has its spaces among its own DAOs, in order, also when it is read again", async () => {
    register("daos: [{ space_id: m.eth, name: Own, category: social }]\nspaces: all\n");
    const own = { spaceId: "m.eth", name: "Own", category: "social", governor: undefined };
    const { ids, warnings } = await track([space("z.eth"), space("m.eth"), space("a.eth")]);
    expect(ids).toEqual(["a.eth", "m.eth", "z.eth"]);
    expect(warnings).toEqual([]);
    expect(readRegistry(settings).daos).toEqual([
      { spaceId: "a.eth", name: "Name of a.eth", category: "defi", governor: undefined },
      own,
      { spaceId: "z.eth", name: "Name of z.eth", category: "defi", governor: undefined },
    ]);
  });

  it("leaves out spaces without a category, unless it has a default, and reports their number", async () => {
    const spaces = [space("a.eth"), space("b.eth", { category: undefined })];
    register("spaces: all\n");
    const left = await track(spaces, { withheld: 3, invalid: 4 });
    expect(left.ids).toEqual(["a.eth"]);
    expect(left.steps).toEqual([["list", 2, 2, "all", { uncategorized: 1, withheld: 3, invalid: 4 }]]);
    register("spaces: all\nspaces_category: social\n");
    expect(readRegistry(settings).daos.map(({ category }) => category)).toEqual(["defi", "social"]);
    expect((await track(spaces)).steps).toMatchObject([["list", 2, 2, "all", { uncategorized: 0 }]]);
  });

  it("requests and writes nothing without `spaces`", async () => {
    register("daos: [{ space_id: m.eth, name: Own, category: social }]\n");
    expect((await track(new Error("asked"))).ids).toEqual(["m.eth"]);
    expect(existsSync(file())).toBe(false);
  });

  it("ignores the stored list of another setting", async () => {
    register("spaces: all\n");
    expect((await track([space("a.eth")])).ids).toEqual(["a.eth"]);
    register("daos: []\nspaces: verified\n");
    expect(readRegistry(settings).daos).toEqual([]);
  });
});

describe("a list that cannot be right", () => {
  beforeEach(() => register("spaces: all\n"));

  it.each([
    { before: 100, now: 89, ids: 100, why: "more than a tenth is missing" },
    { before: 200, now: 180, ids: 180, why: "a tenth is missing, and more than ten" },
    { before: 12, now: 2, ids: 2, why: "ten spaces may go at once" },
    { before: 12, now: 1, ids: 12, why: "eleven of twelve may not" },
  ])("keeps $ids of $before spaces when the hub has $now: $why", async ({ before, now, ids }) => {
    await track(many(before));
    const { ids: kept, warnings } = await track(many(now));
    expect(kept).toHaveLength(ids);
    const warning = `the last list of spaces counts: the hub's lacks ${before - now} of its ${before}`;
    expect(warnings).toEqual(ids === now ? [] : [warning]);
  });

  it("keeps what is missing while the hub withholds rows, since it may be one of them", async () => {
    await track([space("a.eth"), space("b.eth")]);
    expect((await track([space("a.eth")], { withheld: 1 })).ids).toEqual(["a.eth", "b.eth"]);
    expect((await track([space("a.eth")], { invalid: 1 })).ids).toEqual(["a.eth"]);
  });

  it("is replaced by the last one while the hub is away; without one, that fails", async () => {
    const away = sourceFailed("the hub is away");
    await expect(track(away)).rejects.toBe(away);
    await track([space("a.eth")]);
    const { ids, warnings } = await track(away);
    expect(ids).toEqual(["a.eth"]);
    expect(warnings).toEqual(["the last list of spaces counts: the hub is away"]);
  });

  it("does not keep the DAOs of the registry itself from being fetched", async () => {
    register("daos: [{ space_id: m.eth, name: Own, category: social }]\nspaces: all\n");
    const { ids, warnings } = await track(sourceFailed("the hub is away"));
    expect(ids).toEqual(["m.eth"]);
    expect(warnings).toEqual(["no list of spaces is tracked yet: the hub is away"]);
  });

  it("does not hide other errors", async () => {
    await track([space("a.eth")]);
    const bug = new Error("a bug");
    await expect(track(bug)).rejects.toBe(bug);
    const full = pipelineFailure("HOME_INVALID", "the disk is full");
    await expect(track(full)).rejects.toBe(full);
  });

  it("is refused if its file is damaged, with what to do", async () => {
    await track([space("a.eth")]);
    writeFileSync(file(), readFileSync(file(), "utf8").slice(0, -5));
    expect(() => readRegistry(settings)).toThrow(
      expect.objectContaining({ code: "HOME_INVALID", hint: expect.stringContaining("Delete it") }),
    );
  });
});
