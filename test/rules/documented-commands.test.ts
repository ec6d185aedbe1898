import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { AS_OF, LEAF, makeStands, TOAST } from "../pipeline/cli/stand.ts";
import { commandPaths } from "../support/command-paths.ts";
import { runGovdata, runProxyCommand } from "../support/run-in-process.ts";
import { PROJECT } from "./source-files.ts";

const FILES = [
  "README.md",
  "pipeline/OPERATING.md",
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
  const blocks = [...text.matchAll(/^ *```(?:sh)?\n([\s\S]*?)^ *```/gm)].map(([, block]) => block ?? "");
  // The lines of README are run one after the other, below; what its sentences name is no line to run.
  const sentences = file === "README.md" ? [] : text.matchAll(/`(govdata(?:-proxy)? [a-z][^`\n]+)`/g);
  const inSentences = [...sentences].map(([, line = ""]) => line);
  return [...blocks.flatMap((block) => block.split("\n")), ...inSentences]
    .map((line) => line.trim().replace(/^(?:sudo -u \S+ )?(?:[A-Z_]+=\S+ )*(?:\/usr\/local\/bin\/)?/, ""))
    .filter((line) => PROGRAM.test(line))
    .flatMap((line) => {
      const isProxy = /proxy/.test(line.match(PROGRAM)?.[0] ?? "");
      const [command = ""] = line.replace(PROGRAM, "").split(/ {2,}|\s#/);
      const [first = "", ...others] = command.split(/ \| /);
      const parent = first.split(" ")[0] ?? "";
      return [first, ...others.map((other) => `${parent} ${other}`)].map((line) => ({
        file,
        isProxy,
        line,
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
  const setup = fresh();
  const lines = written.filter(({ file, isProxy }) => file === "README.md" && !isProxy);

  it.each(lines)("run: $line", async ({ line }) => {
    // The stand has its archive elsewhere, other DAOs, and no network.
    const runs = line
      .replaceAll(".govdata/demo/8787/world", setup.archive)
      .replaceAll("tidewater-credit.example", LEAF)
      .replaceAll("harbour-lanterns.example", TOAST)
      .replace("-o .govdata", `-o ${setup.directory}`);
    if (/\bURL\b|^run *$/.test(runs)) return;
    const end = await setup.govdata(
      [...runs.split(" "), ...(runs.startsWith("run ") ? ["--as-of", AS_OF] : [])].filter(
        (word) => word !== "",
      ),
    );
    expect(end.code, end.stderr).toBe(0);
    expect(end.stdout).not.toBe("");
  });
});

it("the block of README for real DAOs has a home of its own, with our registry and not the demo's", () => {
  const blocks = readFileSync(join(PROJECT, "README.md"), "utf8").split("```\n");
  const [block = "", ...others] = blocks.filter((each) => /^govdata run +#/m.test(each));
  expect(others).toEqual([]);
  expect(block).toMatch(/^export GOVDATA_HOME=\S+\/real GOVDATA_SNAPSHOTS=\S+\ngovdata init\n/);
  expect(block).not.toMatch(/demo|--registry|tidewater/);
});

/** The entries of the list under a heading, each as the commands before its first colon. */
function entriesUnder(text: string, heading: string): readonly (readonly string[])[] {
  const [section = ""] = (text.split(`\n${heading}\n`)[1] ?? "").split("\n## ");
  return [...section.matchAll(/^- (.+?): /gm)].map(([, commands = ""]) =>
    [...commands.matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command),
  );
}

async function endsOf(run: typeof runProxyCommand): Promise<readonly string[]> {
  const paths = (await commandPaths(run)).map((path) => path.join(" "));
  return paths.filter((path) => !paths.some((other) => other.startsWith(`${path} `)));
}

describe("proxy/COMMANDS.md, where it says what --json prints", () => {
  const text = readFileSync(join(PROJECT, "proxy/COMMANDS.md"), "utf8");
  const entries = entriesUnder(text, "## `--json`");

  it("has one entry for every command, and none for another", async () => {
    const ends = await endsOf(runProxyCommand);
    expect(entries.length).toBeGreaterThan(7);
    expect(entries.flat().sort()).toEqual([...ends].sort());
  });
});

test.each([
  { why: "an entry", text: "\n## a\n\n- `x`, `y z`: `one`\n\nafter", is: [["x", "y z"]] },
  { why: "no entry of another section", text: "\n## a\n\nnone\n\n## b\n\n- `x`: `one`\n", is: [] },
])("the rule finds $why", ({ text, is }) => {
  expect(entriesUnder(text, "## a")).toEqual(is);
});
