import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A database that runs our SQL, as small as the steps need it. */
export interface RivalDatabase {
  /** What is in the dialect's own files: `choices-DIALECT.sql`. */
  readonly dialect: "sqlite" | "duckdb";
  run(sql: string): Promise<void>;
  /** The first column of the first row. */
  count(sql: string): Promise<number>;
}

/** What is made once, whatever the day. */
const ONCE = ["ballots", "coincidences", "deliberation"] as const;
/** What is made for every day, after the links were spread. */
const EVERY_DAY = ["heads", "concentration", "batches", "members", "components", "scores"] as const;
/** Connected components of ten million votes are a few steps across; more means that they never end. */
const SPREADS_MAX = 1_000;

/** The steps of a rival, in order. */
export interface RivalSteps {
  text(file: string): string;
  /** Everything that closed proposals say once and for all. */
  prepare(afterProposalVotes: () => Promise<void>): Promise<void>;
  /** Every measure and score as of a moment. */
  scoreAsOf(asOfS: number): Promise<void>;
  /** What is reported of the moment that was scored last, beside its scores. */
  diagnose(): Promise<void>;
}

/** The steps written in the files of `sqlFolder`. */
export function createRivalSteps(database: RivalDatabase, sqlFolder: string): RivalSteps {
  const text = (file: string): string => readFileSync(join(sqlFolder, `${file}.sql`), "utf8");
  const run = (file: string): Promise<void> => database.run(text(file));

  const joinLinked = async (): Promise<void> => {
    await run("links");
    for (let spread = 0; spread < SPREADS_MAX; spread += 1) {
      await run("spread");
      if ((await database.count(text("spread-left"))) === 0) return;
    }
    throw new Error("bench: the links' components do not end");
  };
  return {
    text,
    async prepare(afterProposalVotes) {
      await run(`choices-${database.dialect}`);
      await run("choices");
      for (const file of ONCE) {
        await run(file);
        if (file === "ballots") await afterProposalVotes();
      }
    },
    async scoreAsOf(asOfS) {
      await database.run(`DELETE FROM moment; INSERT INTO moment VALUES (${asOfS});`);
      await run("frames");
      await joinLinked();
      for (const file of EVERY_DAY) await run(file);
    },
    diagnose: () => run("diagnostics"),
  };
}
