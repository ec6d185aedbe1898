import { methodologyBlocks } from "../pipeline/score/method/generated-blocks.ts";
import { commandBlocks, proxyCommandBlocks } from "./command-blocks.ts";

/** What makes the blocks of each document that has some; `npm run docs` writes them. */
export const BLOCKS_OF: Readonly<Record<string, () => Promise<ReadonlyMap<string, string>>>> = {
  "pipeline/COMMANDS.md": commandBlocks,
  "proxy/COMMANDS.md": proxyCommandBlocks,
  "pipeline/score/METHODOLOGY.md": methodologyBlocks,
};
