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
    const home = settings();
    chmodSync(home.homeDirectory, 0o755);
    const made = { ...home, homeDirectory: join(home.homeDirectory, "deep", "home") };
    openHomeWarehouse(home).close();
    openHomeWarehouse(made).close();
    expect(statSync(home.homeDirectory).mode & 0o777).toBe(0o755);
    expect(statSync(made.homeDirectory).mode & 0o777).toBe(0o700);
    expect(statSync(join(home.homeDirectory, "warehouse.db")).mode & 0o777).toBe(0o600);
  });
});

describe("the registry in force", () => {
  it("is the one named, else the home's, else the curated one", () => {
    const home = settings();
    expect(registryPathOf(home)).toBe(join(home.packageDirectory, "pipeline/registry/registry.yaml"));
    const registry = join(home.homeDirectory, "registry.yaml");
    writeFileSync(registry, "daos: []\n");
    expect(registryPathOf(home)).toBe(registry);
    expect(registryPathOf({ ...home, registryPath: "named.yaml" })).toBe("named.yaml");
  });
});
