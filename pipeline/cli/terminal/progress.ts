import type { Progress, ProgressFacts } from "../../home/settings.ts";
import { formatOrigin, type Terminal, type Verbosity } from "./terminal.ts";

/** The narrowest terminal in use; a longer line would break and could not be rewritten. */
const COLUMNS = 80;

/** A line that changes more often than this is not read but flickers. */
const TICK_EVERY_MS = 200;

/** A guess from less than this is worse than none. */
const ETA_AFTER_MS = 3000;

/** How long it will take, as a person says it. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** One line of `name=value` pairs that a log can be searched by; a value with blanks stands in quotes. */
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

/** How a stage gets on, as of its last step. */
interface Stage {
  readonly name: string;
  readonly startedMs: number;
  done: number;
  total: number;
  /** Of the DAOs that are through. */
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
 * On a terminal one line that is rewritten, with pace and a guess at the time left; elsewhere one line of `name=value`
 * pairs a DAO, so that a cron mail can be read and searched. Warnings are said whatever is asked for.
 */
export function createProgress(terminal: Terminal, verbosity: Verbosity, nowMs: () => number): Progress {
  const isRewritten = terminal.isErrTerminal && verbosity === "normal";
  let stage: Stage = { name: "", startedMs: 0, done: 0, total: 0, votes: 0 };
  let saidMs = -Infinity;
  const enter = (name: string): void => {
    const isOver = stage.total > 0 && stage.done === stage.total;
    if (stage.name !== name || isOver) stage = { name, startedMs: nowMs(), done: 0, total: 0, votes: 0 };
  };
  const rewrite = (text: string, votesUnderWay: number): void => {
    const pace = formatPace(stage, votesUnderWay, nowMs());
    const room = COLUMNS - 1 - pace.length;
    const isLast = stage.total > 0 && stage.done === stage.total;
    terminal.err(`\r\u001B[2K${text.slice(0, room)}${pace}${isLast ? "\n" : ""}`);
    saidMs = nowMs();
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
      if (!isRewritten || nowMs() - saidMs < TICK_EVERY_MS) return;
      const votes = typeof facts["votes"] === "number" ? facts["votes"] : 0;
      const place = stage.total === 0 ? "" : ` ${stage.done}/${stage.total}`;
      const said = formatFacts(facts);
      rewrite(`${name}${place} ${spaceId}${said === "" ? "" : `: ${said}`} …`, votes);
    },
    warn(message, cause) {
      terminal.err(`warning: ${message}\n`);
      if (verbosity === "verbose" && cause !== undefined) terminal.err(`${formatOrigin(cause)}\n`);
    },
  };
}
