import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { commandPaths } from "../../../support/command-paths.ts";
import { runGovdata, runProxyCommand } from "../../../support/run-in-process.ts";

const scriptsOf = async (run: (args: string[]) => Promise<{ readonly stdout: string }>) => {
  const scriptOf = async (shell: string) => (await run(["completion", shell])).stdout;
  return { bash: await scriptOf("bash"), zsh: await scriptOf("zsh"), fish: await scriptOf("fish") };
};
const scripts = await scriptsOf((args) => runGovdata(args));
const proxyScripts = await scriptsOf((args) => runProxyCommand(args));
const paths = await commandPaths((args) => runGovdata(args));
const proxyPaths = await commandPaths(runProxyCommand);

const isHere = (program: string) =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));

const folder = mkdtempSync(join(tmpdir(), "govdata-completion-"));
mkdirSync(join(folder, "one folder"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What a real bash offers at the end of these words, as its own machinery calls the function. */
function offeredByBash(lines: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const asked = lines.map((words) => {
    const quoted = words.map((word) => `'${word}'`).join(" ");
    return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; COMPREPLY=(); _${words[0]?.replaceAll("-", "_")}; printf '%s\\n' "\${COMPREPLY[@]}" --end--`;
  });
  const { stdout, stderr, status } = spawnSync("bash", ["--norc", "-s"], {
    input: `set -u\n${scripts.bash}\n${proxyScripts.bash}\n${asked.join("\n")}\n`,
    cwd: folder,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout
    .split("--end--\n")
    .slice(0, -1)
    .map((line) => line.split("\n").filter((word) => word !== ""));
}

describe("bash", () => {
  it.each([
    {
      why: "a command by its beginning",
      line: ["govdata", "comp"],
      is: ["compute", "compare", "completion"],
    },
    { why: "a command below another", line: ["govdata", "show", "da"], is: ["daos", "dao"] },
    { why: "past options with a value", line: ["govdata", "--home", "run", "show", "ri"], is: ["risk"] },
    { why: "past options without one", line: ["govdata", "--json", "entity", "opt"], is: ["opt-out"] },
    {
      why: "a value that is a command's name is none",
      line: ["govdata", "--home", "show", "stat"],
      is: ["status"],
    },
    { why: "an option of the command", line: ["govdata", "explain", "--comp"], is: ["--component"] },
    { why: "an option of the program after it", line: ["govdata", "explain", "--js"], is: ["--json"] },
    { why: "no option of another command", line: ["govdata", "status", "--comp"], is: [] },
    {
      why: "the words of an option",
      line: ["govdata", "explain", "aave.eth", "--component", ""],
      is: ["hpr", "dei", "pdi", "gpi"],
    },
    {
      why: "and after the sign that bash takes for a word",
      line: ["govdata", "explain", "--component", "=", "p"],
      is: ["pdi"],
    },
    { why: "the words of an argument", line: ["govdata", "completion", ""], is: ["bash", "zsh", "fish"] },
    { why: "a folder, blanks and all", line: ["govdata", "--home", "on"], is: ["one folder"] },
    { why: "a command of the other program", line: ["govdata-proxy", "key", "ro"], is: ["rotate"] },
    { why: "its options", line: ["govdata-proxy", "key", "create", "--da"], is: ["--daily-limit"] },
    { why: "its folders", line: ["govdata-proxy", "--home", "on"], is: ["one folder"] },
    { why: "and none of this one", line: ["govdata-proxy", "expl"], is: [] },
    { why: "nothing where nobody can guess", line: ["govdata", "prune", "--keep", ""], is: [] },
  ])("offers $why: $line", ({ line, is }) => {
    expect(offeredByBash([line])[0]).toEqual(is);
  });

  it("offers every command that help lists, in one go", () => {
    const lines = paths.map((path) => ["govdata", ...path]);
    const offered = offeredByBash(lines);
    expect(paths.length).toBeGreaterThan(30);
    for (const [index, path] of paths.entries())
      expect(offered[index], path.join(" ")).toContain(path.at(-1));
  });
});

it.each(["zsh", "fish"] as const)("the script of %s names every command too", (shell) => {
  for (const path of paths) expect(scripts[shell], path.join(" ")).toContain(`'${path.join(" ")}`);
  for (const path of proxyPaths) expect(proxyScripts[shell], path.join(" ")).toContain(`'${path.join(" ")}`);
  expect(scripts[shell] + proxyScripts[shell]).not.toMatch(/undefined|\[object/);
  // What it defines is of this program alone: both scripts are read by one shell.
  expect(proxyScripts[shell]).not.toMatch(/_govdata(?!_proxy)\b|govdata completion (bash|zsh|fish)/);
});

describe.each(["bash", "zsh", "fish"] as const)("%s", (shell) => {
  it.skipIf(!isHere(shell))("takes its script, where it is installed", () => {
    const input = `${scripts[shell]}\n${proxyScripts[shell]}`;
    const end = spawnSync(shell, ["-n"], { input, encoding: "utf8" });
    expect(end).toMatchObject({ status: 0, stderr: "" });
  });
});

it("refuses a shell it does not know, naming those it does", async () => {
  expect(await runGovdata(["completion", "tcsh"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("bash, zsh, fish"),
  });
});

it("fits on one line with --json", async () => {
  const { stdout } = await runGovdata(["completion", "bash", "--json"]);
  expect(JSON.parse(stdout)).toEqual({ program: "govdata", shell: "bash", script: scripts.bash });
});
