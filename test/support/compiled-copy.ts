import { randomBytes } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { runFolder } from "./run-folder.ts";

const PROJECT = resolve(import.meta.dirname, "../..");

const draw = () => randomBytes(6).toString("hex");

/** Makes the folder of copies beside its place and moves it there: what the programs read beside their code is in it. */
function makeFolder(place: string): void {
  const folder = `${place}-${draw()}`;
  mkdirSync(folder);
  symlinkSync(join(PROJECT, "node_modules"), join(folder, "node_modules"));
  cpSync(join(PROJECT, "package.json"), join(folder, "package.json"));
  for (const room of ["pipeline", "proxy", "snapshots", "fixtures"])
    cpSync(join(PROJECT, room), join(folder, room), {
      recursive: true,
      filter: (path) => !path.endsWith(".ts") && basename(path) !== "published",
    });
  try {
    renameSync(folder, place);
  } catch (error) {
    // Another worker was faster.
    rmSync(folder, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  }
}

function copiesFolder(): string {
  const place = join(runFolder(), "compiled");
  if (!existsSync(place)) makeFolder(place);
  return place;
}

function* relativeImports(text: string): Generator<string> {
  for (const [, path] of text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+\.ts)"/g))
    if (path !== undefined) yield path;
}

/** Compiles one file beside its place and moves it there: another worker never reads half of it. */
function compileFile(text: string, place: string): void {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  });
  mkdirSync(dirname(place), { recursive: true });
  const written = `${place}.${draw()}`;
  writeFileSync(written, outputText);
  renameSync(written, place);
}

const compiled = new Set<string>();

/**
 * Compiles a file of the project, and every file it imports, to plain JavaScript in a folder of its own, and gives the
 * place of the entry: a process of it starts in a third of the time that compiling on the way takes.
 */
export function compileCopy(entry: string): string {
  const folder = copiesFolder();
  const placeOf = (file: string) => join(folder, relative(PROJECT, file)).replace(/\.ts$/, ".js");
  const waiting = [resolve(entry)];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (compiled.has(file)) continue;
    compiled.add(file);
    const text = readFileSync(file, "utf8");
    if (!existsSync(placeOf(file))) compileFile(text, placeOf(file));
    for (const path of relativeImports(text)) waiting.push(resolve(dirname(file), path));
  }
  return placeOf(resolve(entry));
}
