import { createReadStream, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import Database from "better-sqlite3";
import { strategiesKey } from "../../../../pipeline/facts/proposal.ts";
import { MEMBER_COLUMNS, readRivalJob, SCORE_COLUMNS } from "./rival-job.ts";
import { createRivalSteps } from "./rival-steps.ts";
import { createStageClock } from "./stage-clock.ts";

// node rival-sqlite.js JOB: the same world as a plain team would first hold it: a text row per vote in SQLite, indexes on
// proposal and voter, JSON.parse of every line, one transaction, and all measures in SQL.

interface VoteLine {
  readonly id: string;
  readonly voter: string;
  readonly created: number;
  readonly choice: unknown;
  readonly vp: number | null;
  readonly vp_state?: string;
  readonly reason?: string | null;
  readonly proposal: { readonly id: string };
}

interface ProposalLine {
  readonly [field: string]: unknown;
  readonly choices: readonly unknown[];
  readonly strategies: readonly unknown[];
  readonly author: string;
}

interface SpaceFile {
  readonly id: string;
  readonly admins: readonly string[];
  readonly moderators: readonly string[];
  readonly filters: { readonly onlyMembers?: boolean };
  readonly validation: { readonly name: string; readonly params: object };
  readonly voting: {
    readonly period: number | null;
    readonly quorum: number | null;
    readonly quorumType: string;
  };
}

async function eachLine(path: string, take: (line: string) => void): Promise<void> {
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity }))
    if (line !== "") take(line);
}

const placeholders = (count: number): string => `(${Array.from({ length: count }, () => "?").join(", ")})`;

async function loadVotes(database: Database.Database, folder: string): Promise<void> {
  const insert = database.prepare(`INSERT INTO vote VALUES ${placeholders(8)}`);
  for (const name of readdirSync(folder))
    await eachLine(join(folder, name), (line) => {
      const { id, voter, created, choice, vp, vp_state, reason, proposal } = JSON.parse(line) as VoteLine;
      insert.run(
        ...[id, proposal.id, voter.toLowerCase(), created, JSON.stringify(choice), vp],
        reason == null ? null : Number(reason !== ""),
        Number(vp_state === "final"),
      );
    });
}

async function loadProposals(database: Database.Database, folder: string): Promise<void> {
  const insert = database.prepare(`INSERT INTO proposal VALUES ${placeholders(18)}`);
  for (const name of readdirSync(folder))
    await eachLine(join(folder, name), (line) => {
      const row = JSON.parse(line) as ProposalLine;
      const plain = (...fields: string[]) => fields.map((field) => row[field] ?? null);
      insert.run(
        ...[row["id"], name.replace(/\.ndjson$/, ""), row.author.toLowerCase()],
        ...plain("created", "start", "end", "type"),
        ...[row.choices.length, ...plain("discussion", "quorum"), Number(row["quorumType"] === "rejection")],
        ...plain("state", "scores_state", "scores_total", "votes"),
        strategiesKey(row.strategies) ?? null,
        Number(row["privacy"] === "shutter"),
        Number(row["flagged"] === true),
      );
    });
}

function loadSpaces(database: Database.Database, folder: string): void {
  const insert = database.prepare(`INSERT INTO space VALUES ${placeholders(5)}`);
  for (const name of readdirSync(folder)) {
    const space = JSON.parse(readFileSync(join(folder, name), "utf8")) as SpaceFile;
    const { filters, validation, voting } = space;
    const isValidated = validation.name !== "any" && Object.keys(validation.params).length > 0;
    insert.run(
      space.id,
      Number(filters.onlyMembers === true || isValidated),
      Number((voting.period ?? 0) > 0),
      voting.quorumType === "rejection" ? null : (voting.quorum ?? 0),
      new Set([...space.admins, ...space.moderators].map((address) => address.toLowerCase())).size,
    );
  }
}

async function main(): Promise<void> {
  const job = readRivalJob();
  const database = new Database(join(job.scratch, "rival.db"));
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = OFF");
  database.pragma("cache_size = -524288");
  const steps = createRivalSteps(
    {
      dialect: "sqlite",
      run: async (sql) => void database.exec(sql),
      count: async (sql) => Number(database.prepare(sql).pluck().get()),
    },
    job.sqlFolder,
  );
  const clock = createStageClock();
  const write = (name: string, columns: string, table: string): void => {
    const rows = database.prepare(`SELECT ${columns} FROM ${table}`).all();
    writeFileSync(
      join(job.results, `${name}.ndjson`),
      rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
    );
  };

  await clock.time("load", async () => {
    database.exec(steps.text("schema"));
    database.exec("BEGIN");
    loadSpaces(database, join(job.archive, "spaces"));
    await loadProposals(database, join(job.archive, "proposals"));
    await loadVotes(database, join(job.archive, "votes"));
    const wallet = database.prepare("INSERT INTO wallet VALUES (?, ?)");
    await eachLine(job.wallets, (line) => {
      const { voter, entity_id } = JSON.parse(line) as { voter: string; entity_id: string };
      wallet.run(voter, entity_id);
    });
    database.exec("COMMIT");
    database.exec(steps.text("indexes-sqlite"));
  });
  await clock.time("prepare", async () => {
    await steps.prepare(async () => void database.exec(steps.text("indexes-sqlite-ballots")));
    database.exec(steps.text("indexes-sqlite-prepared"));
  });
  for (const [place, dayS] of job.sampleDaysS.entries()) {
    await clock.time("history", () => steps.scoreAsOf(dayS));
    write(`day-${place}`, SCORE_COLUMNS, "score");
  }
  await clock.time("score", () => steps.scoreAsOf(job.asOfS));
  write("scores", SCORE_COLUMNS, "score");
  await steps.diagnose();
  write("members", MEMBER_COLUMNS, "diagnosed");
  database.close();
  process.stdout.write(`${JSON.stringify({ costs: clock.costs })}\n`);
}

await main();
