import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
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

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly gypfile?: boolean;
  readonly engines?: { readonly node?: string };
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

const lock = JSON.parse(readFileSync(join(PROJECT, "package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

it("an install without dev dependencies brings no program that is built for one system", () => {
  // What is locked to a system or a processor is a program in binary form: a chain node, an engine, a bundler.
  const binaries = Object.entries(lock.packages).filter(
    ([, { os, cpu }]) => os !== undefined || cpu !== undefined,
  );
  expect(binaries.map(([name]) => name)).toContain("node_modules/@foundry-rs/anvil-linux-amd64");
  expect(binaries.filter(([, { dev }]) => dev !== true).map(([name]) => name)).toEqual([]);
});

it("what the proxy loads brings as many packages as its rule says, of as many in an install", () => {
  const config = textOf(".dependency-cruiser.cjs");
  const [, listed = ""] = /const PROXY_PACKAGES = \[([^\]]*)\]/.exec(config) ?? [];
  const counts = [
    [...listed.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name),
    Object.keys(lock.packages[""]?.dependencies ?? {}),
  ].map((names) => broughtBy(names).size);
  expect(config).toContain(`${counts[0]} of the ${counts[1]} packages of an install`);
});

/** The folders of these packages, and of all that they need, as the lock file places them. */
function broughtBy(names: readonly string[]): ReadonlySet<string> {
  const folders = new Set<string>();
  const add = (name: string, from: string): void => {
    let above = from;
    while (lock.packages[`${above}node_modules/${name}`] === undefined && above !== "") {
      above = above.slice(0, above.lastIndexOf("node_modules/"));
    }
    const folder = `${above}node_modules/${name}`;
    if (folders.has(folder) || lock.packages[folder] === undefined) return;
    folders.add(folder);
    for (const needed of Object.keys(lock.packages[folder].dependencies ?? {})) add(needed, `${folder}/`);
  };
  for (const name of names) add(name, "");
  return folders;
}

it("npm skips the older SQLite package, which takes minutes to compile, on every Node that does not open it", () => {
  // npm leaves out an optional package whose engines exclude the running Node. The range that the package itself states
  // is wider, so it is narrowed in the lock file; restore it if a later `npm install` overwrites it.
  const { optional, engines } = lock.packages["node_modules/better-sqlite3-12"] ?? {};
  expect({ optional, engines }).toEqual({ optional: true, engines: { node: "<22.14" } });
});

it("npm does not compile the SQLite package that brings its binaries", () => {
  // Its own package.json says so, but npm does not copy that field into the lock file, and `npm ci` then compiles.
  expect(lock.packages["node_modules/better-sqlite3"]?.gypfile).toBe(false);
});

it("nothing else in an install without dev dependencies runs a script or needs a compiler", () => {
  const scripted = Object.entries(lock.packages).filter(
    ([, { dev, hasInstallScript }]) => dev !== true && hasInstallScript === true,
  );
  expect(scripted.map(([name]) => name)).toEqual(["node_modules/better-sqlite3-12"]);
});

const TEXT = textOf(".github/workflows/ci.yml");
const WORKFLOW = parse(TEXT);

it("runs .ci/run on the versions of Node that .ci/run itself tries", () => {
  const [, versions = ""] = /GOVDATA_CI_NODES-([\d. ]+)\}/.exec(textOf(".ci/run")) ?? [];
  const majors = versions.split(" ").map((version) => Number(version.split(".")[0]));
  expect(majors.length).toBeGreaterThan(1);
  const { strategy, container, steps } = WORKFLOW.jobs.run;
  expect(strategy.matrix.node).toEqual(majors);
  expect(container.image).toMatch(/^node:\$\{\{ matrix\.node \}\}-/);
  expect(steps.at(-1)).toEqual({ run: "bash .ci/run", env: { GOVDATA_CI_NODES: "" } });
});

it("may only read, and names every action by its commit", () => {
  expect(WORKFLOW.permissions).toEqual({ contents: "read" });
  const actions = [...TEXT.matchAll(/uses: (.*)/g)].map(([, action]) => action);
  expect(actions.length).toBeGreaterThan(0);
  for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
