import { ERROR_CODES } from "../../../proxy/request/problems.ts";
import { ErrorEnvelope } from "../../../snapshots/format/envelope.ts";
import type { WireAnswer } from "./read-answers.ts";

/** Which statuses go with a code: written down here once more, on purpose. */
export const STATUSES_OF: Readonly<Record<(typeof ERROR_CODES)[number], readonly number[]>> = {
  MISSING_API_KEY: [401],
  INVALID_API_KEY: [401],
  TIER_INSUFFICIENT: [403],
  INVALID_PARAMETER: [400],
  INVALID_REQUEST: [400, 408, 431],
  NOT_FOUND: [404],
  NOT_SCORED: [404],
  METHOD_NOT_ALLOWED: [405],
  RATE_LIMIT_EXCEEDED: [429],
  INTERNAL_ERROR: [500],
  SERVICE_UNAVAILABLE: [503],
};

const ALWAYS: Readonly<Record<string, RegExp>> = {
  "content-type": /^application\/json; charset=utf-8$/,
  "x-content-type-options": /^nosniff$/,
  vary: /^x-api-key, accept-encoding$/,
  "content-security-policy": /^default-src 'none'; frame-ancestors 'none'$/,
  "referrer-policy": /^no-referrer$/,
  "x-request-id": /^[0-9a-f]{24}$/,
  "cache-control": /^private, no-(?:store|cache)$/,
  date: /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$/,
};

/** The text at `/`: not JSON, and no secret. */
const WELCOME: Readonly<Record<string, RegExp>> = {
  ...ALWAYS,
  "content-type": /^text\/plain; charset=utf-8$/,
  "cache-control": /^no-cache$/,
};

/** What is wrong with an answer by the rules for all of them; empty where nothing is. */
export function faultsOf(answer: WireAnswer, method?: string): readonly string[] {
  const { status, headers, duplicates } = answer;
  const faults = duplicates.map((name) => `${name} stands there twice`);
  const isWelcome = status < 400 && headers["cache-control"] === "no-cache";
  for (const [name, pattern] of Object.entries(isWelcome ? WELCOME : ALWAYS)) {
    if (!pattern.test(headers[name] ?? "")) faults.push(`${name} is ${headers[name] ?? "missing"}`);
  }
  for (const name of ["server", "x-powered-by", "transfer-encoding"]) {
    if (headers[name] !== undefined) faults.push(`${name} is told`);
  }
  if (![200, 204, 304].includes(status)) faults.push(...faultsOfProblem(answer, method));
  return faults;
}

function faultsOfProblem(
  { status, headers, bytes }: WireAnswer,
  method: string | undefined,
): readonly string[] {
  const faults: string[] = [];
  if (headers["cache-control"] !== "private, no-store") faults.push("an error may be stored");
  if (headers["etag"] !== undefined) faults.push("an error has an ETag");
  if (status === 401 && headers["www-authenticate"] === undefined) faults.push("401 without a challenge");
  if (status === 405 && headers["allow"] !== "GET, HEAD, OPTIONS") faults.push("405 without Allow");
  if ((status === 429 || status === 503) && headers["retry-after"] === undefined) {
    faults.push("no word on when to come back");
  }
  if (method === "HEAD") return faults;
  const code = codeOf(bytes);
  if (code === undefined) faults.push("no envelope");
  else if (!STATUSES_OF[code].includes(status)) faults.push(`${status} ${code}`);
  return faults;
}

/** The code of an error envelope that holds nothing but code and message; undefined for anything else. */
export function codeOf(bytes: Buffer): (typeof ERROR_CODES)[number] | undefined {
  try {
    const { error } = ErrorEnvelope.parse(JSON.parse(bytes.toString("utf8")));
    return ERROR_CODES.find((code) => code === error.code);
  } catch {
    return undefined;
  }
}
