import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readLiveOptOuts } from "../../../pipeline/home/opt-outs.ts";
import { readRegistry } from "../../../pipeline/home/read-registry.ts";
import type { Settings } from "../../../pipeline/home/settings.ts";
import { addRegistryEntity, setRegistryOptOut } from "../../../pipeline/upkeep/edit-registry.ts";
import { testHome } from "../home/test-home.ts";

const root = mkdtempSync(join(tmpdir(), "govdata-edit-"));

const WALLET = `0x${"ab".repeat(20)}`;
const CURATED = readFileSync(join(import.meta.dirname, "../../../pipeline/registry/registry.yaml"), "utf8");
const EMPTY = "daos: [] # none yet\nentities: []\n";

/** A package with a copy of the curated registry: a failing test must not edit the real one. */
const PACKAGE_DIRECTORY = join(root, "package");
const CURATED_PATH = join(PACKAGE_DIRECTORY, "pipeline/registry/registry.yaml");
mkdirSync(join(PACKAGE_DIRECTORY, "pipeline/registry"), { recursive: true });
writeFileSync(CURATED_PATH, CURATED);

/** A home with this registry, or without one. */
const homeWith = (registry?: string): Settings =>
  testHome(registry === undefined ? {} : { "registry.yaml": registry }, {
    packageDirectory: PACKAGE_DIRECTORY,
  });
const NEW = { label: "New", wallets: [WALLET] };
const registryOf = ({ homeDirectory }: Settings) => join(homeDirectory, "registry.yaml");

describe("edits of the registry", () => {
  it("report what is done if the list of live opt-outs was changed and the registry cannot be", () => {
    const settings = homeWith(EMPTY);
    const { entityId } = addRegistryEntity(settings, NEW);
    const registry = registryOf(settings);
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

  it("change the registry that was named, even if the home has one", () => {
    const settings = homeWith(EMPTY);
    const registryPath = join(root, "mine.yaml");
    writeFileSync(registryPath, EMPTY);
    addRegistryEntity({ ...settings, registryPath }, NEW);
    expect(readFileSync(registryPath, "utf8")).toContain(WALLET);
    expect(readFileSync(registryOf(settings), "utf8")).toBe(EMPTY);
  });

  it("never change the curated one", () => {
    const settings = homeWith();
    const entityId = readRegistry(settings).entities[0]?.entityId ?? "";
    expect(() => setRegistryOptOut(settings, entityId, true, 1)).toThrow(
      expect.objectContaining({ code: "HOME_MISSING", hint: expect.stringContaining("govdata init") }),
    );
    expect(readFileSync(CURATED_PATH, "utf8")).toBe(CURATED);
  });

  it("find the home's registry however its path is written", () => {
    const settings = homeWith(EMPTY);
    const homeDirectory = `${settings.homeDirectory}/../home//`;
    addRegistryEntity({ ...settings, homeDirectory }, NEW);
    expect(readRegistry(settings).entities).toHaveLength(1);
  });

  it("leave an invalid registry unchanged, and name the line", () => {
    const settings = homeWith("daos: 5\n");
    expect(() => addRegistryEntity(settings, NEW)).toThrow(
      expect.objectContaining({
        code: "REGISTRY_INVALID",
        message: expect.stringContaining("registry.yaml:1"),
      }),
    );
    expect(readFileSync(registryOf(settings), "utf8")).toBe("daos: 5\n");
  });
});
