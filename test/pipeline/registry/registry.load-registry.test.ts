import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadRegistry } from "../../../pipeline/registry/registry.ts";

const directory = mkdtempSync(join(tmpdir(), "govdata-registry-"));
afterAll(() => rmSync(directory, { recursive: true }));

function written(content: string | Uint8Array): string {
  const path = join(directory, "mine.yaml");
  writeFileSync(path, content);
  return path;
}

describe("loadRegistry", () => {
  it("reads a file", () => {
    expect(loadRegistry(written("daos: []\nentities: []\n"))).toEqual({ daos: [], entities: [] });
  });

  it.each([
    { why: "no file", path: () => join(directory, "none.yaml"), message: "none.yaml: there is no such file" },
    { why: "a folder", path: () => directory, message: /^govdata-registry-\w+: cannot be read \(EISDIR\)$/ },
    {
      why: "not UTF-8",
      path: () => written(Uint8Array.of(0xff, 0xfe, 0x20)),
      message: "mine.yaml: is not UTF-8",
    },
    { why: "not a registry", path: () => written("daos: 5\n"), message: /^mine\.yaml:1: daos: / },
  ])("refuses $why, and names no folder of this machine", ({ path, message }) => {
    expect(() => loadRegistry(path())).toThrow(
      expect.objectContaining({
        code: "REGISTRY_INVALID",
        message: typeof message === "string" ? message : expect.stringMatching(message),
      }),
    );
  });
});
