import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readLiveOptOuts } from "../../../pipeline/home/opt-outs.ts";
import { readRegistry } from "../../../pipeline/home/read-registry.ts";
import type { Settings } from "../../../pipeline/home/settings.ts";
import { addRegistryEntity, setRegistryOptOut } from "../../../pipeline/upkeep/edit-registry.ts";

const root = mkdtempSync(join(tmpdir(), "govdata-edit-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const WALLET = `0x${"ab".repeat(20)}`;
const CURATED = readFileSync(join(import.meta.dirname, "../../../pipeline/registry/registry.yaml"), "utf8");
const EMPTY = "daos: [] # none yet\nentities: []\n";

/** A package with a copy of the curated registry: a failing test must not edit the real one. */
const PACKAGE_DIRECTORY = join(root, "package");
const CURATED_PATH = join(PACKAGE_DIRECTORY, "pipeline/registry/registry.yaml");
mkdirSync(join(PACKAGE_DIRECTORY, "pipeline/registry"), { recursive: true });
writeFileSync(CURATED_PATH, CURATED);

/** A home with this registry, or with none. */
function homeWith(registry: string | undefined): Settings {
  const homeDirectory = mkdtempSync(join(root, "home-"));
  if (registry !== undefined) writeFileSync(join(homeDirectory, "registry.yaml"), registry);
  return {
    homeDirectory,
    snapshotsDirectory: join(root, "published"),
    registryPath: undefined,
    packageDirectory: PACKAGE_DIRECTORY,
  };
}

describe("the registry's edits", () => {
  it("add, opt out, opt in again, each readable at once", () => {
    const settings = homeWith(EMPTY);
    const { entityId } = addRegistryEntity(settings, { label: "New", wallets: [WALLET] });
    const isOptedOut = () =>
      readRegistry(settings).entities.map((entity) => [entity.entityId, entity.isOptedOut]);
    expect(isOptedOut()).toEqual([[entityId, false]]);
    expect(setRegistryOptOut(settings, entityId, true, 1).isChanged).toBe(true);
    expect(isOptedOut()).toEqual([[entityId, true]]);
    expect(setRegistryOptOut(settings, entityId, true, 1).isChanged).toBe(false);
    expect(setRegistryOptOut(settings, entityId, false, 1).isChanged).toBe(true);
    expect(isOptedOut()).toEqual([[entityId, false]]);
    expect(readFileSync(join(settings.homeDirectory, "registry.yaml"), "utf8")).toContain("# none yet");
  });

  it("say which half is done where the list of live opt-outs took it and the registry does not", () => {
    const settings = homeWith(EMPTY);
    const { entityId } = addRegistryEntity(settings, { label: "New", wallets: [WALLET] });
    const registry = join(settings.homeDirectory, "registry.yaml");
    writeFileSync(`${registry}.new`, "");
    expect(() => setRegistryOptOut(settings, entityId, true, 1)).toThrow(
      expect.objectContaining({
        code: "HOME_INVALID",
        message: expect.stringMatching(
          /^ent_\w+ is on the list of live opt-outs, but registry\.yaml\.new exists/,
        ),
        hint: expect.stringContaining("Proxies and new versions already hide it"),
      }),
    );
    expect(readLiveOptOuts(settings).list.has(entityId)).toBe(true);
    rmSync(`${registry}.new`);
    expect(setRegistryOptOut(settings, entityId, true, 1)).toMatchObject({ isChanged: true, isLive: true });
    expect(readRegistry(settings).entities.map((entity) => entity.isOptedOut)).toEqual([true]);
  });

  it("go to the registry that was named, also where the home has one", () => {
    const settings = homeWith(EMPTY);
    const registryPath = join(root, "mine.yaml");
    writeFileSync(registryPath, EMPTY);
    addRegistryEntity({ ...settings, registryPath }, { label: "New", wallets: [WALLET] });
    expect(readFileSync(registryPath, "utf8")).toContain(WALLET);
    expect(readFileSync(join(settings.homeDirectory, "registry.yaml"), "utf8")).toBe(EMPTY);
  });

  it("never go to the curated one", () => {
    const settings = homeWith(undefined);
    const entityId = readRegistry(settings).entities[0]?.entityId ?? "";
    expect(() => setRegistryOptOut(settings, entityId, true, 1)).toThrow(
      expect.objectContaining({ code: "HOME_MISSING", hint: expect.stringContaining("govdata init") }),
    );
    expect(readFileSync(CURATED_PATH, "utf8")).toBe(CURATED);
  });

  it("find the home's registry however the home is written", () => {
    const settings = homeWith(EMPTY);
    mkdirSync(join(root, "other"), { recursive: true });
    const homeDirectory = `${root}/other/..//${settings.homeDirectory.slice(root.length + 1)}/`;
    addRegistryEntity({ ...settings, homeDirectory }, { label: "New", wallets: [WALLET] });
    expect(readRegistry(settings).entities).toHaveLength(1);
  });

  it("leave a registry that is invalid alone, and say where", () => {
    const settings = homeWith("daos: 5\n");
    expect(() => addRegistryEntity(settings, { label: "New", wallets: [WALLET] })).toThrow(
      expect.objectContaining({
        code: "REGISTRY_INVALID",
        message: expect.stringContaining("registry.yaml:1"),
      }),
    );
    expect(readFileSync(join(settings.homeDirectory, "registry.yaml"), "utf8")).toBe("daos: 5\n");
  });
});
