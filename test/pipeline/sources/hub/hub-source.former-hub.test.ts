import { describe } from "vitest";
import { collectOn } from "./hub-stage.ts";

/** What depends on how the former hub orders and lists its rows; limits and faults are the same on both. */
const ASPECTS = ["test", "withheld.test", "resume.test", "incremental.test"];

// The query makes another module of a file that was already loaded.
describe("on the former hub", () =>
  collectOn("former", async () => {
    for (const aspect of ASPECTS) await import(`./hub-source.${aspect}.ts?former`);
  }));
