import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openHomeWarehouse, registryPathOf } from "../../../pipeline/home/home.ts";
import type { Settings } from "../../../pipeline/home/settings.ts";

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
