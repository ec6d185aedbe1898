import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AS_OF, LEAF, makeStands, TOAST } from "../pipeline/cli/stand.ts";
import { commandPaths } from "../support/command-paths.ts";
import { runGovdata, runProxyCommand } from "../support/run-in-process.ts";
import { PROJECT } from "./source-files.ts";

const FILES = [
  "README.md",
  "pipeline/README.md",
  "proxy/README.md",
  "proxy/PRODUCTION.md",
  "proxy/SCALING.md",
  "snapshots/README.md",
];

/** How a program is written in the documentation, installed or built in place. */
const PROGRAM = /^(?:node dist\/pipeline\/cli\/main\.js|node dist\/proxy\/main\.js|govdata|govdata-proxy) /;

interface Written {
  readonly file: string;
  readonly isProxy: boolean;
  /** Without the program, and without the comment after it. */
  readonly line: string;
}

/** Every command line that stands in a block of code, `a | b` of a synopsis as lines of their own. */
function writtenIn(file: string): readonly Written[] {
  const text = readFileSync(join(PROJECT, file), "utf8");
  const blocks = [...text.matchAll(/^```(?:sh)?\n([\s\S]*?)^```/gm)].map(([, block]) => block ?? "");
  return blocks
    .flatMap((block) => block.split("\n"))
    .filter((line) => PROGRAM.test(line))
    .flatMap((line) => {
      const isProxy = /proxy/.test(line.match(PROGRAM)?.[0] ?? "");
      const [command = ""] = line.replace(PROGRAM, "").split(/ {2,}|\s#/);
      const [first = "", ...others] = command.split(/ \| /);
      const parent = first.split(" ")[0] ?? "";
      return [first, ...others.map((other) => `${parent} ${other}`)].map((each) => ({
        file,
        isProxy,
        line: each,
      }));
    });
}

const written = FILES.flatMap(writtenIn);
const paths = { true: await commandPaths(runProxyCommand), false: await commandPaths(runGovdata) };

/** The longest command that the line begins with. */
function commandOf({ line, isProxy }: Written): readonly string[] {
  const words = line.split(/\s+/);
  const known = paths[`${isProxy}`].filter((path) => path.every((word, index) => word === words[index]));
  return known.toSorted((a, b) => b.length - a.length)[0] ?? [];
}

describe("a command line in the documentation", () => {
  it("is found in more than one file", () => {
    expect(written.length).toBeGreaterThan(10);
    expect(new Set(written.map(({ isProxy }) => isProxy)).size).toBe(2);
  });

  it.each(written)("names a command and options that are there: $file: $line", async (each) => {
    const command = commandOf(each);
    expect(command, "a command").not.toEqual([]);
    const run = each.isProxy ? runProxyCommand : runGovdata;
    const help = (await run([...command, "--help"])).stdout + (await run(["--help"])).stdout;
    for (const option of each.line.match(/--[a-z][a-z-]*/g) ?? [])
      expect(help).toMatch(new RegExp(`${option}\\b(?!-)`));
  });
});

describe("the lines of README for govdata, one after the other", async () => {
  const { fresh } = await makeStands();
  const stand = fresh();
  const lines = written.filter(({ file, isProxy }) => file === "README.md" && !isProxy);

  it.each(lines)("run: $line", async ({ line }) => {
    // The stand has its archive elsewhere, other DAOs, and no network.
    const runs = line
      .replaceAll(".govdata/demo/8787/world", stand.archive)
      .replaceAll("tidewater-credit.example", LEAF)
      .replaceAll("harbour-lanterns.example", TOAST)
      .replace("-o .govdata", `-o ${stand.directory}`);
    if (/\bURL\b|--source snapshot-hub/.test(runs)) return;
    const end = await stand.govdata(
      [...runs.split(" "), ...(runs.startsWith("run ") ? ["--as-of", AS_OF] : [])].filter(
        (word) => word !== "",
      ),
    );
    expect(end.code, end.stderr).toBe(0);
    expect(end.stdout).not.toBe("");
  });
});
