import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openHomeWarehouse, registryPathOf } from "../../../pipeline/home/home.ts";
import type { Settings } from "../../../pipeline/home/settings.ts";
import { rememberedOptOuts, rememberOptOuts } from "../../../pipeline/home/state.ts";

const root = mkdtempSync(join(tmpdir(), "govdata-home-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let homes = 0;

/** Settings with a home of their own that is there already. */
function settings(): Settings {
  homes += 1;
  const homeDirectory = join(root, `home-${homes}`);
  mkdirSync(homeDirectory);
  return {
    homeDirectory,
    snapshotsDirectory: join(root, "published"),
    registryPath: undefined,
    packageDirectory: join(import.meta.dirname, "../../.."),
  };
}

describe("what one run remembers of opt-outs for the next", () => {
  it("is nothing before the first", () => {
    expect(rememberedOptOuts(settings())).toBeUndefined();
  });

  it.each([0, 1, 40])("is their number: %d", (count) => {
    const home = settings();
    rememberOptOuts(home, 7);
    rememberOptOuts(home, count);
    expect(rememberedOptOuts(home)).toBe(count);
    const file = join(home.homeDirectory, "last-run.json");
    expect(readFileSync(file, "utf8")).toBe(`{"opted_out_entities":${count}}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each([
    { why: "empty", text: "" },
    { why: "cut", text: '{"opted_out_ent' },
    { why: "no number", text: '{"opted_out_entities":"7"}' },
    { why: "below none", text: '{"opted_out_entities":-1}' },
    { why: "no whole number", text: '{"opted_out_entities":1.5}' },
    { why: "nothing said", text: "{}" },
    { why: "something else beside it", text: '{"opted_out_entities":1,"wallet":"x"}' },
  ])("is no zero where it cannot be read: $why", ({ text }) => {
    const home = settings();
    writeFileSync(join(home.homeDirectory, "last-run.json"), text);
    expect(() => rememberedOptOuts(home)).toThrow(
      expect.objectContaining({ code: "HOME_INVALID", hint: expect.stringContaining("opt-outs by hand") }),
    );
  });

  it("is a failure with a word where it cannot be kept", () => {
    const home = settings();
    mkdirSync(join(home.homeDirectory, "last-run.json.new"));
    expect(() => rememberOptOuts(home, 1)).toThrow(expect.objectContaining({ code: "HOME_INVALID" }));
  });
});

describe("the home", () => {
  it("is its owner's alone where we make it, and as it was where it was there", () => {
    const there = settings();
    chmodSync(there.homeDirectory, 0o755);
    const made = { ...there, homeDirectory: join(there.homeDirectory, "deep", "home") };
    openHomeWarehouse(there).close();
    openHomeWarehouse(made).close();
    expect(statSync(there.homeDirectory).mode & 0o777).toBe(0o755);
    expect(statSync(made.homeDirectory).mode & 0o777).toBe(0o700);
    expect(statSync(join(there.homeDirectory, "warehouse.db")).mode & 0o777).toBe(0o600);
  });
});

describe("the registry in force", () => {
  it("is the one named, else the home's, else the curated one", () => {
    const home = settings();
    expect(registryPathOf(home)).toBe(join(home.packageDirectory, "pipeline/registry/registry.yaml"));
    const own = join(home.homeDirectory, "registry.yaml");
    writeFileSync(own, "daos: []\n");
    expect(registryPathOf(home)).toBe(own);
    expect(registryPathOf({ ...home, registryPath: "named.yaml" })).toBe("named.yaml");
  });
});
