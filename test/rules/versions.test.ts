import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { METHODOLOGY } from "../../pipeline/score/method/methodology.ts";
import { FORMAT_VERSION } from "../../snapshots/format/limits.ts";
import { Manifest } from "../../snapshots/format/manifest.ts";
import { runGovdata, runProxyCommand } from "../support/run-in-process.ts";
import { PROJECT } from "./source-files.ts";

const textOf = (path: string) => readFileSync(join(PROJECT, path), "utf8");
const { version } = JSON.parse(textOf("package.json")) as { readonly version: string };

/** The versions that the changelog tells of, the newest first, with what it says of each. */
const changes = [...textOf("pipeline/CHANGELOG.md").matchAll(/^## (\S+)(.*)$/gm)];
const told = changes.map(([, name = ""]) => name);

const byNumber = (left: string, right: string) => left.localeCompare(right, "en", { numeric: true });

describe("the version of the program", () => {
  it("has an entry in the changelog, and a later entry says that it is not out yet", () => {
    expect(told).toContain(version);
    const later = changes.filter(([, name = ""]) => byNumber(name, version) > 0);
    expect(later.filter(([, , words = ""]) => !words.startsWith(" (not released yet)"))).toEqual([]);
  });

  it("stands in a changelog that goes back in order, each version once", () => {
    expect(told.length).toBeGreaterThan(3);
    expect(told).toEqual([...new Set(told)].sort(byNumber).reverse());
  });

  it("is the one of the lock", () => {
    const lock = JSON.parse(textOf("package-lock.json"));
    expect([lock.version, lock.packages[""].version]).toEqual([version, version]);
  });
});

describe("the version of the method", () => {
  it("is the same for readers, for machines and in the code", async () => {
    const stated = [
      ...textOf("pipeline/score/METHODOLOGY.md").matchAll(/^Method version \*\*(\S+)\*\*\.$/gm),
    ];
    expect(stated.map(([, name]) => name)).toEqual([METHODOLOGY.version]);
    const { stdout } = await runGovdata(["methodology", "--json"]);
    expect(JSON.parse(stdout).version).toBe(METHODOLOGY.version);
  });
});

describe("the version of the format", () => {
  it("is the highest that a manifest may name", () => {
    expect(Math.max(...Manifest.shape.format.values)).toBe(FORMAT_VERSION);
  });
});

it.each([["--version"], ["-V"], ["--version --json"], ["--no-color --version"]])(
  "govdata %s tells all three",
  async (words) => {
    const { code, stdout, stderr } = await runGovdata(words.split(" "));
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`govdata ${version}, method ${METHODOLOGY.version}, format ${FORMAT_VERSION}\n`);
  },
);

it.each([["--version"], ["-V"]])("govdata-proxy %s tells what it is and what it reads", async (word) => {
  const { code, stdout, stderr } = await runProxyCommand([word]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toBe(`govdata-proxy ${version}, format ${FORMAT_VERSION}\n`);
});

it("leaves the option of that name to the commands that have it", async () => {
  const { code, stdout } = await runGovdata([
    "explain",
    "aave.eth",
    "--version",
    "nothing",
    "--snapshots",
    ".",
  ]);
  expect(code).not.toBe(0);
  expect(stdout).toBe("");
});
