import type { Progress, ProgressFacts } from "../../home/settings.ts";
import { formatOrigin, REWRITE, type Terminal, type Verbosity } from "./terminal.ts";

/** The narrowest terminal in use; a longer line would wrap and could not be rewritten. */
const COLUMNS = 80;

/** More frequent updates would flicker. */
const TICK_EVERY_MS = 200;

/** An estimate from less time would be useless. */
const ETA_AFTER_MS = 3000;

function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** One searchable log line of `name=value` pairs; values with spaces are quoted. */
function formatLogLine(facts: ProgressFacts): string {
  const quoted = (value: string | number): string =>
    /^[^\s"=]+$/.test(String(value)) ? String(value) : JSON.stringify(String(value));
  return `${Object.entries(facts)
    .map(([name, value]) => `${name}=${quoted(value)}`)
    .join(" ")}\n`;
}

const formatFacts = (facts: ProgressFacts): string =>
  Object.entries(facts)
    .map(([name, value]) => `${name} ${typeof value === "number" ? value.toLocaleString("en") : value}`)
    .join(", ");

interface Stage {
  readonly name: string;
  readonly startedMs: number;
  done: number;
  total: number;
  /** Votes of the finished DAOs. */
  votes: number;
}

function formatPace(stage: Stage, votesUnderWay: number, nowMs: number): string {
  const elapsedMs = nowMs - stage.startedMs;
  if (elapsedMs < ETA_AFTER_MS || stage.done === stage.total) return "";
  const votes = stage.votes + votesUnderWay;
  const rate = votes > 0 ? ` · ${Math.round((votes * 1000) / elapsedMs).toLocaleString("en")} votes/s` : "";
  const leftMs = (elapsedMs / stage.done) * (stage.total - stage.done);
  return `${rate}${stage.done > 0 ? ` · ETA ${formatDuration(leftMs)}` : ""}`;
}

/**
 * On a terminal, a single line that is rewritten, with rate and remaining time; elsewhere a line of
 * `name=value` pairs per DAO, so that a cron mail can be read and searched. Warnings are always printed.
 */
export function createProgress(terminal: Terminal, verbosity: Verbosity, nowMs: () => number): Progress {
  const isRewritten = terminal.isErrTerminal && verbosity === "normal";
  let stage: Stage = { name: "", startedMs: 0, done: 0, total: 0, votes: 0 };
  let writtenMs = -Infinity;
  const enter = (name: string): void => {
    const isOver = stage.total > 0 && stage.done === stage.total;
    if (stage.name !== name || isOver) stage = { name, startedMs: nowMs(), done: 0, total: 0, votes: 0 };
  };
  const rewrite = (text: string, votesUnderWay: number): void => {
    const pace = formatPace(stage, votesUnderWay, nowMs());
    const textColumns = COLUMNS - 1 - pace.length;
    const isLast = stage.total > 0 && stage.done === stage.total;
    terminal.err(`${REWRITE}${text.slice(0, textColumns)}${pace}${isLast ? "\n" : ""}`);
    writtenMs = nowMs();
  };
  return {
    step(name, done, total, spaceId, facts) {
      enter(name);
      Object.assign(stage, { done, total });
      stage.votes += typeof facts["votes"] === "number" ? facts["votes"] : 0;
      if (verbosity === "quiet") return;
      if (isRewritten) rewrite(`${name} ${done}/${total} ${spaceId}: ${formatFacts(facts)}`, 0);
      else terminal.err(formatLogLine({ stage: name, done: `${done}/${total}`, space: spaceId, ...facts }));
    },
    tick(name, spaceId, facts) {
      enter(name);
      if (!isRewritten || nowMs() - writtenMs < TICK_EVERY_MS) return;
      const votes = typeof facts["votes"] === "number" ? facts["votes"] : 0;
      const count = stage.total === 0 ? "" : ` ${stage.done}/${stage.total}`;
      const text = formatFacts(facts);
      rewrite(`${name}${count} ${spaceId}${text === "" ? "" : `: ${text}`} …`, votes);
    },
    warn(message, cause) {
      terminal.err(`warning: ${message}\n`);
      if (verbosity === "verbose" && cause !== undefined) terminal.err(`${formatOrigin(cause)}\n`);
    },
  };
}
