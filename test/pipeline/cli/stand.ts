import "../../support/no-public-hub.ts";
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { type WrittenWorld, writeWorld } from "../../../fixtures/world.ts";
import { runProgram } from "../../../pipeline/cli/program.ts";
import { runFolder } from "../../support/run-folder.ts";
import type { CommandEnd } from "../../support/run-in-process.ts";

/** Two small invented DAOs: the first votes a lot, the second has just begun. */
export const LEAF = "paper-orchard.example";
export const TOAST = "second-breakfast.example";

/** A day after the world's last, when the tests run; and its last moment, of which they score. */
export const NOW_MS = Date.parse("2026-11-01T06:00:00.000Z");
export const AS_OF = "2026-10-31T23:59:59.999Z";

export const PACKAGE_DIRECTORY = fileURLToPath(new URL("../../..", import.meta.url));

/** How one command line is run, where it matters. */
export interface RunWith {
  readonly isErrTerminal?: boolean;
  readonly columns?: number;
  readonly nowMs?: () => number;
  readonly pause?: (waitMs: number) => Promise<void>;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs one command line with nothing added to it. */
export async function govdata(args: readonly string[], runWith: RunWith = {}): Promise<CommandEnd> {
  const said = { stdout: "", stderr: "" };
  const code = await runProgram(args, {
    packageDirectory: PACKAGE_DIRECTORY,
    environment: runWith.environment ?? {},
    nowMs: runWith.nowMs ?? (() => NOW_MS),
    pause: runWith.pause ?? (async () => {}),
    terminal: {
      out: (text) => {
        said.stdout += text;
      },
      err: (text) => {
        said.stderr += text;
      },
      isErrTerminal: runWith.isErrTerminal ?? false,
      columns: runWith.columns,
      hasColour: false,
    },
  });
  return { code, ...said };
}

/** An archive with stores of its own. */
export interface Stand {
  readonly directory: string;
  readonly archive: string;
  readonly home: string;
  readonly snapshots: string;
  /** The options that lead a command to this stand. */
  readonly places: readonly string[];
  /** `govdata` on this stand. */
  govdata(args: readonly string[], runWith?: RunWith): Promise<CommandEnd>;
  /** `govdata run` of its archive, as of the world's last moment. */
  run(...more: readonly string[]): Promise<CommandEnd>;
}

function standAt(directory: string): Stand {
  const archive = join(directory, "archive");
  const home = join(directory, "home");
  const snapshots = join(directory, "published");
  const registry = join(archive, "registry.yaml");
  const places = ["--home", home, "--snapshots", snapshots, "--registry", registry];
  const onStand: Stand["govdata"] = (args, runWith) => govdata([...places, ...args], runWith);
  return {
    directory,
    archive,
    home,
    snapshots,
    places,
    govdata: onStand,
    run: (...more) => onStand(["run", "--from", archive, "--as-of", AS_OF, ...more]),
  };
}

/** An archive nobody has fetched in `fresh`, and the same published in `published`. */
async function makeBase(spaceIds: readonly string[]) {
  const root = mkdtempSync(join(runFolder(), "stand-"));
  const world = writeWorld({
    directory: join(root, "fresh", "archive"),
    seed: "stand",
    endDay: "2026-10-31",
    spaceIds,
  });
  cpSync(join(root, "fresh"), join(root, "published"), { recursive: true });
  const first = await standAt(join(root, "published")).run();
  if (first.code !== 0) throw new Error(`the stand ended with ${first.code}: ${first.stderr}`);
  return { root, world };
}

/** What copies are made of, by its DAOs: once for all test files of a worker. */
const bases = new Map<string, ReturnType<typeof makeBase>>();

/** Stands for one test file: an archive nobody has fetched, and one that is published; every test gets copies. */
export async function makeStands(spaceIds: readonly string[] = [LEAF, TOAST]): Promise<{
  readonly world: WrittenWorld;
  readonly root: string;
  fresh(): Stand;
  published(): Stand;
}> {
  const root = mkdtempSync(join(tmpdir(), "govdata-stand-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const base = bases.get(spaceIds.join()) ?? makeBase(spaceIds);
  bases.set(spaceIds.join(), base);
  const { root: made, world } = await base;
  let copies = 0;
  const copyOf = (name: string): Stand => {
    copies += 1;
    const directory = join(root, `copy-${copies}`);
    cpSync(join(made, name), directory, { recursive: true });
    // On Node 22 and 24 a copied folder does not keep its mode.
    if (existsSync(join(directory, "home"))) chmodSync(join(directory, "home"), 0o700);
    return standAt(directory);
  };
  return { world, root, fresh: () => copyOf("fresh"), published: () => copyOf("published") };
}
