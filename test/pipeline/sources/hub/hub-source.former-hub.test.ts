import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { describe } from "vitest";
import { collectOn } from "./hub-stage.ts";

const fileName = basename(import.meta.filename);
const files = readdirSync(import.meta.dirname).filter(
  (file) => file.endsWith(".test.ts") && file !== fileName,
);

// Every test of this folder once more. The query makes another module of a file that was already loaded.
describe("on the former hub", () =>
  collectOn("former", async () => {
    for (const file of files) await import(`./${file}?former`);
  }));
