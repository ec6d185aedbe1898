import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadRegistry, parseRegistry } from "../../../pipeline/registry/registry.ts";
import { CATEGORIES } from "../../../snapshots/format/value-sets.ts";

const TEXT = readFileSync(new URL("../../../pipeline/registry/registry.yaml", import.meta.url), "utf8");
/** Parsing refuses a space, an entity or a wallet that is given twice. */
const { daos, entities } = parseRegistry(TEXT, "registry.yaml");

/** RFC 4648, lower case, written out so that the code under test is not its own judge. */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => "abcdefghijklmnopqrstuvwxyz234567"[Number.parseInt(five.padEnd(5, "0"), 2)])
    .join("");
}

describe("the curated registry", () => {
  it("tracks at least 40 DAOs, at least two of every category", () => {
    expect(daos.length).toBeGreaterThanOrEqual(40);
    for (const category of CATEGORIES) {
      const ofCategory = daos.filter((dao) => dao.category === category);
      expect(ofCategory.length, category).toBeGreaterThanOrEqual(2);
    }
    expect(new Set(daos.map(({ name }) => name)).size).toBe(daos.length);
  });

  it("names at least 25 contracts of the on-chain API, none twice, and says which electorate it is", () => {
    const spaces = daos.flatMap(({ onchain }) => onchain ?? []);
    expect(spaces.length).toBeGreaterThanOrEqual(25);
    expect(new Set(spaces.map(({ indexer, space }) => `${indexer} ${space}`)).size).toBe(spaces.length);
    for (const { spaceId, name, onchain } of daos) {
      expect(name.endsWith("(on-chain)"), spaceId).toBe(spaceId.endsWith(".eth.onchain"));
      expect(spaceId.endsWith(".onchain"), spaceId).toBe(onchain !== undefined);
    }
  });

  it("names governors completely, and no contract twice", () => {
    const governors = daos.flatMap(({ governor }) => (governor?.governor === undefined ? [] : governor));
    expect(governors.length).toBeGreaterThanOrEqual(5);
    const contracts = governors.flatMap(({ token, governor }) => [token, governor]);
    expect(contracts).not.toContain(undefined);
    expect(new Set(contracts).size).toBe(contracts.length);
    for (const { kind, decimals, firstBlock } of governors) {
      expect([kind, decimals]).toEqual(kind === "erc721votes" ? [kind, 0] : [kind, 18]);
      expect(firstBlock).toBeGreaterThan(0);
    }
  });

  it("names at least 60 organisations, by ids made of their labels, and copies nobody's opt-out", () => {
    expect(entities.length).toBeGreaterThanOrEqual(60);
    const ids = entities.map(({ label }) => {
      const hash = createHash("sha256").update(label).digest();
      return `ent_${base32(hash).slice(0, 26)}`;
    });
    expect(entities.map(({ entityId }) => entityId)).toEqual(ids);
    expect(entities.filter(({ isOptedOut }) => isOptedOut)).toEqual([]);
    expect(new Set(entities.map(({ label }) => label.toLowerCase())).size).toBe(entities.length);
  });

  it("names public sources and no place of a machine or a network", () => {
    expect(TEXT).toMatch(/snapshot-labs\/snapshot-spaces/);
    expect(TEXT).toMatch(/OffchainLabs\/tally-zero/);
    expect(TEXT).not.toMatch(/https?:|\/work\/|\/tmp\/|localhost|127\.0\.0\.1/);
  });

  it("gives each run of entries a source in a comment above it", () => {
    const groups = TEXT.split(/^(?:daos|entities):\n/m).slice(1);
    expect(groups).toHaveLength(2);
    for (const group of groups) expect(group).toMatch(/^ {2}# /);
  });
});

describe("loadRegistry", () => {
  const directory = mkdtempSync(join(tmpdir(), "govdata-registry-"));
  const written = (content: string | Uint8Array): string => {
    const path = join(directory, "mine.yaml");
    writeFileSync(path, content);
    return path;
  };

  it("reads a file", () => {
    const registry = { daos: [], entities: [], imprint: {} };
    expect(loadRegistry(written("daos: []\nentities: []\n"))).toEqual(registry);
  });

  it.each([
    {
      why: "no file",
      path: () => join(directory, "none.yaml"),
      message: /^none\.yaml: there is no such file$/,
    },
    { why: "a folder", path: () => directory, message: /^govdata-registry-\w+: cannot be read \(EISDIR\)$/ },
    {
      why: "not UTF-8",
      path: () => written(Uint8Array.of(0xff, 0xfe)),
      message: /^mine\.yaml: is not UTF-8$/,
    },
    { why: "not a registry", path: () => written("daos: 5\n"), message: /^mine\.yaml:1: daos: / },
  ])("refuses $why, and names no folder of this machine", ({ path, message }) => {
    const refusal = { code: "REGISTRY_INVALID", message: expect.stringMatching(message) };
    expect(() => loadRegistry(path())).toThrow(expect.objectContaining(refusal));
  });
});
