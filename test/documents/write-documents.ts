import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../rules/source-files.ts";
import { textOf, withBlocks } from "./documents.ts";
import { BLOCKS_OF } from "./generated-blocks.ts";

/** `npm run docs`: writes the generated blocks of all documents and names the documents that changed. */
for (const [file, makeBlocks] of Object.entries(BLOCKS_OF)) {
  const text = textOf(file);
  const written = withBlocks(text, await makeBlocks());
  if (written === text) continue;
  writeFileSync(join(PROJECT, file), written);
  process.stdout.write(`${file}\n`);
}
