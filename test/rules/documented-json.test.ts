import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { commandPaths } from "../support/command-paths.ts";
import { runProxyCommand } from "../support/run-in-process.ts";
import { PROJECT } from "./source-files.ts";

/** One line of a table that says what commands print. */
interface Row {
  readonly commands: readonly string[];
  readonly text: string;
}

/** What stands between the signs for code. */
const codes = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? "");

function rowsOf(text: string, heading: string): readonly Row[] {
  const [, after = ""] = text.split(`\n${heading}\n|---|---|\n`);
  return after
    .split("\n\n", 1)
    .flatMap((table) => table.split("\n"))
    .filter((line) => line.startsWith("| "))
    .map((line) => {
      const [commands = "", ...cells] = line.slice(2).split(" | ");
      return { commands: codes(commands), text: cells.join(" | ") };
    });
}

/** The commands that a row is about: `show …` stands for all below `show`. */
function meantBy({ commands }: Row, ends: readonly string[]): readonly string[] {
  return commands.flatMap((command) =>
    command.endsWith(" …") ? ends.filter((end) => end.startsWith(command.slice(0, -1))) : [command],
  );
}

async function endsOf(run: typeof runProxyCommand): Promise<readonly string[]> {
  const paths = (await commandPaths(run)).map((path) => path.join(" "));
  return paths.filter((path) => !paths.some((other) => other.startsWith(`${path} `)));
}

describe("proxy/COMMANDS.md, where it says what --json prints", () => {
  const text = readFileSync(join(PROJECT, "proxy/COMMANDS.md"), "utf8");
  const rows = rowsOf(text, "| command | prints with `--json` |");

  it("has one row for every command, and none for another", async () => {
    const ends = await endsOf(runProxyCommand);
    expect(rows.length).toBeGreaterThan(7);
    expect(rows.flatMap((row) => meantBy(row, ends)).sort()).toEqual([...ends].sort());
  });
});

test.each([
  { why: "a row", text: "\n| a |\n|---|---|\n| `x`, `y z` | `one` |\n\nafter", is: [["x", "y z"]] },
  { why: "no table", text: "\n| b |\n|---|---|\n| `x` | `one` |\n", is: [] },
])("the rule finds $why", ({ text, is }) => {
  expect(rowsOf(text, "| a |").map(({ commands }) => commands)).toEqual(is);
});
