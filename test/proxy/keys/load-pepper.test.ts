import { randomBytes } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadPepper } from "../../../proxy/keys/load-pepper.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const GOOD = "p".repeat(32);
const load = (file: string, given?: string, mayCreate = true) =>
  loadPepper({ given, path: join(folder, file), mayCreate, randomBytes });

describe("loadPepper", () => {
  it("makes a file that only its owner may read, once", () => {
    const pepper = load("made");
    expect(pepper).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(join(folder, "made")).mode & 0o777).toBe(0o600);
    expect(load("made")).toBe(pepper);
    expect(readFileSync(join(folder, "made"), "utf8").trim()).toBe(pepper);
    expect(readdirSync(folder).filter((name) => name.endsWith(".new"))).toEqual([]);
  });

  it("takes the given one and writes no file", () => {
    expect(load("not-made", GOOD)).toBe(GOOD);
    expect(readdirSync(folder)).not.toContain("not-made");
  });

  it("refuses to make one where keys exist", () => {
    expect(() => load("gone", undefined, false)).toThrow(expect.objectContaining({ code: "PEPPER_MISSING" }));
  });

  it.each([
    { why: "too short", given: GOOD.slice(1) },
    { why: "empty", given: "" },
  ])("refuses a given one that is $why", ({ given }) => {
    expect(() => load("x", given)).toThrow(expect.objectContaining({ code: "PEPPER_INVALID" }));
  });

  it("refuses a short or exposed file", () => {
    writeFileSync(join(folder, "short"), "abc\n", { mode: 0o600 });
    expect(() => load("short")).toThrow(expect.objectContaining({ code: "PEPPER_INVALID" }));
    writeFileSync(join(folder, "exposed"), GOOD);
    chmodSync(join(folder, "exposed"), 0o640);
    expect(() => load("exposed")).toThrow(expect.objectContaining({ code: "PEPPER_EXPOSED" }));
  });

  it("takes what another command made in the same moment", () => {
    let isFirst = true;
    const racing = (count: number) => {
      // While this one draws its bytes, the other finishes.
      if (isFirst) writeFileSync(join(folder, "raced"), GOOD, { mode: 0o600 });
      isFirst = false;
      return randomBytes(count);
    };
    const source = { given: undefined, path: join(folder, "raced"), mayCreate: true, randomBytes: racing };
    expect(loadPepper(source)).toBe(GOOD);
  });
});
