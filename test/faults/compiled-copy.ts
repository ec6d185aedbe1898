import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";

const PROJECT = resolve(import.meta.dirname, "../..");

let made: string | undefined;

/** The folder of this process's copies, gone when the process is. */
function copiesFolder(): string {
  if (made !== undefined) return made;
  const folder = mkdtempSync(join(tmpdir(), "govdata-compiled-"));
  symlinkSync(join(PROJECT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}\n');
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  made = folder;
  return folder;
}

function* relativeImports(text: string): Generator<string> {
  for (const [, path] of text.matchAll(/(?:from|import)\s+"(\.[^"]+\.ts)"/g))
    if (path !== undefined) yield path;
}

/**
 * Compiles a file of the project, and every file it imports, to plain JavaScript in a folder of its own, and gives the
 * place of the entry: a process of it starts in a third of the time that compiling on the way takes.
 */
export function compileCopy(entry: string): string {
  const folder = copiesFolder();
  const placeOf = (file: string) => join(folder, relative(PROJECT, file)).replace(/\.ts$/, ".js");
  const waiting = [resolve(entry)];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (existsSync(placeOf(file))) continue;
    const text = readFileSync(file, "utf8");
    const { outputText } = ts.transpileModule(text, {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2022,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
      },
    });
    mkdirSync(dirname(placeOf(file)), { recursive: true });
    writeFileSync(placeOf(file), outputText);
    for (const path of relativeImports(text)) waiting.push(resolve(dirname(file), path));
  }
  return placeOf(resolve(entry));
}
